import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, FileCheck2, FileText, FileUp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { saveFile, saveTextFile } from '@/lib/save-file';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { FormAlert } from '@/ui/field';
import { Select } from '@/ui/select';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useChoice } from '@/ui/use-choice';
import { loadDocument } from '../api/document';
import { loadStatement, monthlyQuery } from '../api/queries';
import { statementMonths } from '../rules';
import { documentName, statementName } from '../statement';
import styles from './statement-view.module.css';
import { useVerification } from './use-verification';
import { VerdictCard } from './verdict-card';

/** Downloads a month's statement, and verifies that a statement is unchanged. */
export default function StatementView() {
  const { t } = useTranslation();
  const { month: monthText } = useFormats();
  const monthly = useQuery(monthlyQuery).data;
  const months = useMemo(() => statementMonths(new Date(), monthly), [monthly]);
  const [month, setMonth] = useChoice('month', months);
  return (
    <div className={styles.view}>
      <Card title={t('statement.title')}>
        <div className={stack.gap4}>
          <p className={styles.lead}>{t('statement.lead')}</p>
          <Select
            label={t('statement.month')}
            value={month}
            options={months.map((value) => ({ value, label: monthText(value) }))}
            onChange={setMonth}
          />
          <Downloads month={month} />
        </div>
      </Card>
      <Verification month={month} />
    </div>
  );
}

function Downloads({ month }: { month: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const csv = useDownload(async (asked) => {
    const text = await loadStatement(asked);
    saveTextFile(statementName(asked), text, 'text/csv;charset=utf-8');
  });
  const pdf = useDownload(async (asked) => saveFile(documentName(asked), await loadDocument(asked)));
  const error = csv.error ?? pdf.error;
  return (
    <>
      <FormAlert>{error ? errorText(error) : null}</FormAlert>
      <Button wide busy={pdf.isPending} onClick={() => pdf.start(month)}>
        <FileText size={20} aria-hidden="true" />
        {t('statement.download_pdf')}
      </Button>
      <Button wide tone="secondary" busy={csv.isPending} onClick={() => csv.start(month)}>
        <Download size={20} aria-hidden="true" />
        {t('statement.download')}
      </Button>
    </>
  );
}

/** A download that runs once at a time and says when the file is there. */
function useDownload(load: (month: string) => Promise<void>) {
  const { t } = useTranslation();
  const running = useRef(false);
  const { error, isPending, mutate } = useMutation({
    mutationFn: load,
    meta: { inline: true },
    onSuccess: () => toast(t('statement.downloaded')),
    onSettled: () => {
      running.current = false;
    },
  });
  const start = (month: string) => {
    if (running.current) return;
    running.current = true;
    mutate(month);
  };
  return { error, isPending, start };
}

function Verification({ month }: { month: string }) {
  const { t } = useTranslation();
  const { month: monthText } = useFormats();
  const errorText = useErrorText();
  const input = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState(false);
  const check = useVerification();

  const checkFile = (file: File | undefined) => {
    if (!file) return;
    setTooLarge(file.size > FILE_BYTES_MAX);
    if (file.size <= FILE_BYTES_MAX) check.run(file.name, () => file.text());
  };
  return (
    <Card title={t('statement.verify_title')}>
      <div className={stack.gap4}>
        <p className={styles.lead}>{t('statement.verify_lead')}</p>
        <div className={styles.actions}>
          <Button
            tone="secondary"
            busy={check.isRunning}
            onClick={() => {
              setTooLarge(false);
              check.run(t('statement.server', { month: monthText(month) }), () => loadStatement(month));
            }}
          >
            <FileCheck2 size={20} aria-hidden="true" />
            {t('statement.verify_month')}
          </Button>
          <Button tone="secondary" disabled={check.isRunning} onClick={() => input.current?.click()}>
            <FileUp size={20} aria-hidden="true" />
            {t('statement.verify_file')}
          </Button>
          <input
            ref={input}
            className="visually-hidden"
            type="file"
            accept=".csv,text/csv"
            tabIndex={-1}
            aria-label={t('statement.choose_file')}
            onChange={(event) => {
              checkFile(event.target.files?.[0]);
              // Allows choosing the same file again.
              event.target.value = '';
            }}
          />
        </div>
        <FormAlert>
          {tooLarge
            ? t('statement.too_large', { size: FILE_BYTES_MAX / MEGABYTE })
            : check.error && errorText(check.error)}
        </FormAlert>
        <div role="status">
          {check.isRunning ? (
            <p className={styles.lead}>{t('statement.checking', { count: check.done })}</p>
          ) : null}
          {check.result && !tooLarge ? <VerdictCard {...check.result} /> : null}
        </div>
        <p className={styles.hint}>{t('statement.covers')}</p>
      </div>
    </Card>
  );
}

const MEGABYTE = 1024 * 1024;

/** About three times the size of a statement with 100,000 transactions. */
const FILE_BYTES_MAX = 100 * MEGABYTE;
