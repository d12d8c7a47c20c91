import { zodResolver } from '@hookform/resolvers/zod';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { Panel } from '../../ui/panel';
import { ImportAnswer, type ImportResult } from './import-answer';
import { StepActions } from './step-actions';

const schema = z.object({ reason: text(REASON_LIMIT) });
type Values = z.infer<typeof schema>;

type Props = {
  result: ImportResult;
  error: string | null;
  isBusy: boolean;
  onBack: () => void;
  onImport: (reason: string) => void;
};

/** What the file would bring, before anything is kept. */
export function CheckStep({ result, error, isBusy, onBack, onImport }: Props) {
  const { t } = useTranslation('console');
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    defaultValues: { reason: '' },
  });
  const hasRows = result.applied + result.restated + result.quarantined_count > 0;
  return (
    <FormProvider {...form}>
      <form
        className={stack.gap4}
        noValidate
        autoComplete="off"
        onSubmit={form.handleSubmit(({ reason }) => onImport(reason))}
      >
        <Panel title={t('delivery.would_bring')}>
          <p role="status">{t(hasRows ? 'delivery.check_text' : 'delivery.brings_nothing')}</p>
          <ImportAnswer result={result} />
        </Panel>
        {hasRows ? (
          <Panel title={t('delivery.import')}>
            <ReasonInput />
          </Panel>
        ) : null}
        <FormAlert>{error}</FormAlert>
        <StepActions>
          <Button tone="secondary" disabled={isBusy} onClick={onBack}>
            {t('delivery.back')}
          </Button>
          {hasRows ? (
            <Button type="submit" busy={isBusy}>
              {t('delivery.import')}
            </Button>
          ) : null}
        </StepActions>
      </form>
    </FormProvider>
  );
}
