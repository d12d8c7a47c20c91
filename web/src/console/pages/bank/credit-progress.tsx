import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { useProblemText } from '../../act/use-send';
import { useStaff } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Badge, type Tone } from '../../ui/badge';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { UserLink } from '../../ui/user-link';
import styles from './credit-progress.module.css';
import type { Done, LineOutcome } from './credit-run';
import { type CreditRun, creditRun, dropCreditRun, isRunning, stopCreditRun } from './credit-store';
import type { BankLine } from './line-state';

const TONES = {
  credited: 'good',
  waits: 'waiting',
  refused: 'bad',
  unknown: 'bad',
} as const satisfies Record<LineOutcome, Tone>;

/** How far the crediting of this statement has come, and what became of each line. */
export function CreditProgress({ statement }: { statement: string }) {
  const { t } = useTranslation('console');
  const run = useStore(creditRun);
  const { id } = useStaff();
  if (run === null || run.member !== id) return null;
  if (run.statement === statement) return <Progress run={run} />;
  // One run at a time, so this statement offers none.
  return isRunning(run) ? (
    <p>
      {t('bank.run_elsewhere')} <Link to={`/bank/${run.statement}`}>{t('bank.see_run')}</Link>
    </p>
  ) : null;
}

function Progress({ run }: { run: CreditRun }) {
  const { t } = useTranslation('console');
  const bar = useId();
  const { done, total, state } = run;
  const counts = { done: done.length, total };
  return (
    <Panel title={t('bank.run')}>
      <label htmlFor={bar}>{t(`bank.run_states.${state}`, counts)}</label>
      <progress id={bar} className={styles.bar} value={done.length} max={total} />
      <div className={styles.line}>
        <span role="status">
          {isRunning(run) ? t('bank.run_may_leave') : t('bank.run_over', outcomesOf(done))}
        </span>
        {isRunning(run) ? (
          <Button tone="secondary" disabled={state === 'stopping'} onClick={stopCreditRun}>
            {t('bank.run_stop')}
          </Button>
        ) : (
          <Button tone="quiet" onClick={dropCreditRun}>
            {t('act.close')}
          </Button>
        )}
      </div>
      {done.length === 0 ? null : <Outcomes done={done} />}
    </Panel>
  );
}

/** How many lines ended how. */
function outcomesOf(done: readonly Done<BankLine>[]) {
  const count = (wanted: LineOutcome) => done.filter(({ outcome }) => outcome === wanted).length;
  return { credited: count('credited'), waits: count('waits'), refused: count('refused') + count('unknown') };
}

function Outcomes({ done }: { done: readonly Done<BankLine>[] }) {
  const { t } = useTranslation('console');
  const problemText = useProblemText();
  return (
    <PlainTable
      label={t('bank.outcomes')}
      rows={done}
      rowKey={({ line }) => line.id}
      columns={[
        { id: 'line', header: t('bank.line'), cell: ({ line }) => line.line },
        {
          id: 'user',
          header: t('bank.user'),
          cell: ({ line: { matched_user: user } }) =>
            user ? <UserLink id={user.id} name={user.username} /> : t('list.none'),
        },
        {
          id: 'amount',
          header: t('bank.amount'),
          align: 'end',
          cell: ({ line }) => <Amount value={line.amount} />,
        },
        {
          id: 'outcome',
          header: t('bank.outcome'),
          cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{t(`bank.outcome_of.${outcome}`)}</Badge>,
        },
        {
          id: 'why',
          header: t('bank.why'),
          cell: ({ error }) => (error ? problemText(error) : t('list.none')),
        },
      ]}
    />
  );
}
