import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { Button } from '@/ui/button';
import { TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { FileInput, type FileProblem } from '../../ui/file-input';
import { Panel } from '../../ui/panel';
import styles from './file-step.module.css';
import type { ImportFile } from './import-file';
import { readSample } from './sample';
import { SOURCE_NAME } from './source-values';
import { StepActions } from './step-actions';

/** With the form around the file the server takes 64 MB. */
const MOST_BYTES = 63 * 1024 * 1024;
const LONGEST_SOURCE = 64;
const LONGEST_SIGNATURE = 200;

const schema = z.object({ source: text(LONGEST_SOURCE), signature: optionalText(LONGEST_SIGNATURE) });
type Values = z.infer<typeof schema>;

type Props = { before: ImportFile | null; onFile: (chosen: ImportFile) => void };

/** Which file of which source. */
export function FileStep({ before, onFile }: Props) {
  const { t } = useTranslation('console');
  const [file, setFile] = useState<File | null>(before?.file ?? null);
  const [problem, setProblem] = useState<FileProblem | null>(null);
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    defaultValues: { source: before?.source ?? '', signature: before?.signature ?? '' },
  });
  const next = form.handleSubmit(async (values) => {
    if (!SOURCE_NAME.test(values.source)) {
      form.setError('source', { type: 'server', message: t('delivery.source_wrong') }, { shouldFocus: true });
      return;
    }
    if (file === null || file.size > MOST_BYTES) {
      setProblem({ text: t(file === null ? 'delivery.no_file' : 'delivery.too_large') });
      return;
    }
    const sample = await readSample(file);
    if (sample === null) setProblem({ text: t('delivery.unreadable') });
    else onFile({ file, sample, ...values });
  });
  return (
    <FormProvider {...form}>
      <form className={styles.form} noValidate autoComplete="off" onSubmit={next}>
        <Panel title={t('delivery.steps.file')}>
          <TextInput
            name="source"
            label={t('delivery.source')}
            hint={t('delivery.source_hint')}
            limit={LONGEST_SOURCE}
          />
          <FileInput
            label={t('delivery.file')}
            hint={file ? t('delivery.chosen', { name: file.name }) : t('delivery.file_hint')}
            accept=".csv,.jsonl,.ndjson,.json,.txt,text/csv"
            problem={problem}
            onChoose={(chosen) => {
              setFile(chosen);
              setProblem(null);
            }}
          />
          <TextInput
            name="signature"
            label={t('delivery.signature')}
            hint={t('delivery.signature_hint')}
            limit={LONGEST_SIGNATURE}
            optional
          />
        </Panel>
        <StepActions>
          <Button type="submit" busy={form.formState.isSubmitting}>
            {t('delivery.next')}
          </Button>
        </StepActions>
      </form>
    </FormProvider>
  );
}
