import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import stack from '@/ui/stack.module.css';
import { ErrorState, Skeleton } from '@/ui/states';
import { ActButton } from '../../act/act-button';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { Dialog, DialogActions } from '../../ui/dialog';
import { type Fact, Facts } from '../../ui/facts';
import { MOST_LINES } from './credit-run';
import { creditRun, isRunning, startCreditRun } from './credit-store';
import { type Creditable, readCreditable } from './creditable';

/** Credits all matched lines of a statement; not offered while a run is under way. */
export function CreditAllButton({ statement }: { statement: string }) {
  const { t } = useTranslation('console');
  const run = useStore(creditRun);
  if (isRunning(run)) return null;
  return (
    <ActButton
      offered={{
        id: 'credit_all',
        label: t('bank.credit_all'),
        dialog: (close) => <CreditAllDialog statement={statement} onClose={close} />,
      }}
    />
  );
}

type Props = { statement: string; onClose: () => void };

function CreditAllDialog({ statement, onClose }: Props) {
  const { t } = useTranslation('console');
  const found = useQuery({
    queryKey: consoleKeys.list('/admin/bank/lines', { statement_id: statement, creditable: 'all' }),
    queryFn: ({ signal }) => readCreditable(statement, signal),
    // What is shown is what is credited.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Dialog title={t('bank.credit_all_title')} onClose={onClose}>
      {found.isPending ? (
        <Skeleton height="6rem" />
      ) : found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <CreditAllForm statement={statement} found={found.data} onClose={onClose} />
      )}
    </Dialog>
  );
}

const schema = z.object({ reason: optionalText(REASON_LIMIT) });
type Values = z.infer<typeof schema>;

function CreditAllForm({ statement, found, onClose }: Props & { found: Creditable }) {
  const { t } = useTranslation('console');
  const queryClient = useQueryClient();
  const form = useForm<Values, unknown, Values>({
    resolver: zodResolver(schema),
    defaultValues: { reason: '' },
  });
  const { lines, total, unmatched, similar, isMore } = found;
  const start = form.handleSubmit(({ reason }) => {
    void startCreditRun(statement, lines, { reason, queryClient });
    onClose();
  });
  const left: Fact[] = [
    { label: t('bank.left_unmatched'), value: <Count value={unmatched} /> },
    { label: t('bank.left_similar'), value: <Count value={similar} /> },
  ];
  return (
    <FormProvider {...form}>
      <form className={stack.gap4} noValidate autoComplete="off" onSubmit={start}>
        <p>{t(lines.length === 0 ? 'bank.nothing_to_credit' : 'bank.credit_all_text')}</p>
        <Facts
          facts={[
            { label: t('bank.lines_to_credit'), value: <Count value={lines.length} /> },
            { label: t('bank.sum_to_credit'), value: <Amount value={total} /> },
            ...left,
          ]}
        />
        {isMore ? <p>{t('bank.credit_all_more', { count: MOST_LINES })}</p> : null}
        {lines.length === 0 ? null : <ReasonInput optional />}
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            {t('act.cancel')}
          </Button>
          {lines.length === 0 ? null : (
            <Button type="submit">{t('bank.credit_lines', { count: lines.length })}</Button>
          )}
        </DialogActions>
      </form>
    </FormProvider>
  );
}
