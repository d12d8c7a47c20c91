import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { announce } from '../../act/announce';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { useProblemText } from '../../act/use-send';
import { optionalText } from '../../act/values';
import { staffUpload } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { FileInput, type FileProblem } from '../../ui/file-input';
import { PageHead } from '../../ui/page-head';
import { Panel } from '../../ui/panel';
import { keepMapping, type Mapping, mappingJson } from './mapping';
import styles from './upload.module.css';
import { UploadAnswer } from './upload-answer';

export type BankUpload = components['schemas']['BankUpload'];

/** A file is kept once by its content, so it may be sent again after a lost answer. */
const PATH = '/admin/bank/statement';

/** The server takes so much of a file. */
const MOST_BYTES = 3 * 1024 * 1024;

const schema = z.object({ reason: optionalText(REASON_LIMIT) });
type Values = z.infer<typeof schema>;

/** Uploads an account statement: which file, which columns where they are not found, and what is wrong in it. */
export default function UploadPage() {
  const { t } = useTranslation('console');
  const problemText = useProblemText();
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<FileProblem | null>(null);
  const [mapping, setMapping] = useState<Mapping | null>(null);
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    defaultValues: { reason: '' },
  });
  const send = useUpload();
  const choose = (chosen: File | null) => {
    setFile(chosen);
    setProblem(null);
    setMapping(null);
    send.reset();
  };
  const submit = (next: Mapping | null) =>
    form.handleSubmit(({ reason }) => {
      if (file === null || file.size > MOST_BYTES) {
        setProblem({ text: t(file === null ? 'bank.no_file' : 'bank.too_large') });
        return;
      }
      setMapping(next);
      send.mutate(formOf(file, reason, next));
    })();
  return (
    <>
      <PageHead title={t('bank.upload_title')} />
      <FormProvider {...form}>
        <form
          className={styles.form}
          noValidate
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(mapping);
          }}
        >
          <Panel title={t('bank.file')}>
            <p>{t('bank.upload_text')}</p>
            <FileInput
              label={t('bank.statement_file')}
              hint={t('bank.file_hint')}
              accept=".xml,.csv,.txt,text/csv,application/xml,text/xml"
              problem={problem}
              onChoose={choose}
            />
            <ReasonInput optional />
          </Panel>
          <FormAlert>{send.error ? problemText(send.error, t('bank.upload_unknown')) : null}</FormAlert>
          <div>
            <Button type="submit" busy={send.isPending}>
              {t('bank.upload')}
            </Button>
          </div>
        </form>
      </FormProvider>
      {send.data ? (
        <UploadAnswer
          answer={send.data}
          isMapped={mapping !== null}
          isBusy={send.isPending}
          onMapping={(next) => {
            keepMapping(send.data?.columns ?? [], next);
            void submit(next);
          }}
        />
      ) : null}
    </>
  );
}

function formOf(file: File, reason: string, mapping: Mapping | null): FormData {
  const form = new FormData();
  if (reason !== '') form.set('reason', reason);
  if (mapping !== null) form.set('mapping', mappingJson(mapping));
  form.set('file', file, file.name);
  return form;
}

/** Sends a file, and goes to the statement that it has become. */
function useUpload() {
  const { t } = useTranslation('console');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (form: FormData) => staffUpload(PATH, form),
    onSuccess: ({ statement, repeated }) => {
      for (const path of ['/admin/bank/statements', '/admin/audit/list'] as const)
        void queryClient.invalidateQueries({ queryKey: consoleKeys.list(path) });
      if (statement === null || repeated) return;
      const kept = t('bank.upload_done', { count: statement.lines });
      const known = t('bank.upload_known', { count: statement.known_lines });
      announce({ text: statement.known_lines > 0 ? `${kept} ${known}` : kept });
      void navigate(`/bank/${statement.id}`);
    },
  });
}
