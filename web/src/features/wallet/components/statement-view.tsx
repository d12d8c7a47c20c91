import { useMutation } from '@tanstack/react-query';
import { Download, FileCheck2, FileUp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { saveTextFile } from '@/lib/save-file';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { FormAlert } from '@/ui/field';
import { Select } from '@/ui/select';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useChoice } from '@/ui/use-choice';
import { loadStatement } from '../api/queries';
import { MONTHS_BACK, recentMonths } from '../rules';
import { statementName } from '../statement';
import styles from './statement-view.module.css';
import { useVerification } from './use-verification';
import { VerdictCard } from './verdict-card';

/** Downloads a month's statement, and verifies that a statement is unchanged. */
export default function StatementView() {
  const { t } = useTranslation();
  const { month: monthText } = useFormats();
  const months = useMemo(() => recentMonths(new Date(), MONTHS_BACK), []);
  const [month, setMonth] = useChoice('month', months);
  return (
    <div className={stack.gap4}>
      <Card title={t('statement.title')}>
        <div className={stack.gap4}>
          <p className={styles.lead}>{t('statement.lead')}</p>
          <Select
            label={t('statement.month')}
            value={month}
            options={months.map((value) => ({ value, label: monthText(value) }))}
            onChange={setMonth}
          />
          <DownloadButton month={month} />
        </div>
      </Card>
      <Verification month={month} />
    </div>
  );
}

function DownloadButton({ month }: { month: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const running = useRef(false);
  const download = useMutation({
    mutationFn: loadStatement,
    meta: { inline: true },
    onSuccess: (text, asked) => {
      saveTextFile(statementName(asked), text, 'text/csv;charset=utf-8');
      toast(t('statement.downloaded'));
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const start = () => {
    if (running.current) return;
    running.current = true;
    download.mutate(month);
  };
  return (
    <>
      <FormAlert>{download.isError ? errorText(download.error) : null}</FormAlert>
      <Button wide busy={download.isPending} onClick={start}>
        <Download size={20} aria-hidden="true" />
        {t('statement.download')}
      </Button>
    </>
  );
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
