import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import stack from '@/ui/stack.module.css';
import { intentionKey, settleIntention } from '../../act/intentions';
import { useProblemText } from '../../act/use-send';
import { staffUpload } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { PageHead } from '../../ui/page-head';
import { CheckStep } from './check-step';
import { ColumnsStep } from './columns-step';
import { DoneStep } from './done-step';
import { FileStep } from './file-step';
import { type ImportFile, type ImportParts, importForm, importIntention } from './import-file';
import { firstMapping, keepMapping, type Mapping, mappingJson } from './mapping';
import { type Step, Steps } from './steps';

const PATH = '/admin/delivery/import';

/** Imports a file of delivery reports: which file, which columns, what it would bring, and what came of it. */
export default function ImportWizardPage() {
  const { t } = useTranslation('console');
  const [step, setStep] = useState<Step>('file');
  const [chosen, setChosen] = useState<ImportFile | null>(null);
  const [mapping, setMapping] = useState<Mapping | null>(null);
  const box = useFocusOf(step);
  const { check, send, textOf } = useImport(setStep);
  return (
    <>
      <PageHead title={t('delivery.wizard_title')} />
      <Steps current={step} />
      <div className={stack.gap4} ref={box} tabIndex={-1} style={{ outline: 'none' }}>
        {step === 'file' ? (
          <FileStep
            before={chosen}
            onFile={(file) => {
              setChosen(file);
              setMapping(firstMapping(file.source, file.sample.columns));
              setStep('columns');
            }}
          />
        ) : null}
        {step === 'columns' && chosen && mapping ? (
          <ColumnsStep
            chosen={chosen}
            initial={mapping}
            error={textOf(check.error)}
            isBusy={check.isPending}
            onBack={() => {
              check.reset();
              setStep('file');
            }}
            onCheck={(next) => {
              setMapping(next);
              keepMapping(chosen.source, next);
              check.mutate(importForm(chosen, { mapping: mappingJson(next), isDryRun: true }));
            }}
          />
        ) : null}
        {step === 'check' && chosen && mapping && check.data ? (
          <CheckStep
            result={check.data}
            error={textOf(send.error)}
            isBusy={send.isPending}
            onBack={() => {
              send.reset();
              setStep('columns');
            }}
            onImport={(reason) =>
              send.mutate(sendingOf(chosen, { mapping: mappingJson(mapping), reason, isDryRun: false }))
            }
          />
        ) : null}
        {step === 'done' && send.data ? (
          <DoneStep
            result={send.data}
            onAgain={() => {
              check.reset();
              send.reset();
              setChosen(null);
              setStep('file');
            }}
          />
        ) : null}
      </div>
    </>
  );
}

type Sending = { form: FormData; intention: ReturnType<typeof importIntention> };

function sendingOf(chosen: ImportFile, parts: ImportParts): Sending {
  return { form: importForm(chosen, parts), intention: importIntention(chosen, parts) };
}

/** The dry run and the import itself. */
function useImport(setStep: (step: Step) => void) {
  const { t } = useTranslation('console');
  const problemText = useProblemText();
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: (form: FormData) => staffUpload(PATH, form),
    onSuccess: () => setStep('check'),
  });
  const send = useMutation({
    mutationFn: ({ form, intention }: Sending) =>
      staffUpload(PATH, form, { idempotencyKey: intentionKey(PATH, intention) }),
    onSuccess: () => setStep('done'),
    onSettled: (_answer, error, { intention }) => {
      settleIntention(PATH, intention, error);
      const stale = [
        '/admin/delivery/imports',
        '/admin/delivery/quarantine/list',
        '/admin/plan/list',
        '/admin/audit/list',
      ] as const;
      for (const path of stale) void queryClient.invalidateQueries({ queryKey: consoleKeys.list(path) });
    },
  });
  const textOf = (error: Error | null) => (error ? problemText(error, t('delivery.unknown')) : null);
  return { check, send, textOf };
}

/** Moves the focus to a step that has taken the place of another. */
function useFocusOf(step: Step) {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current !== step) {
      box.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
    last.current = step;
  }, [step]);
  return box;
}
