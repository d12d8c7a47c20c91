import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { useOne } from '../../api/use-one';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { PageHead } from '../../ui/page-head';
import type { BankStatement } from './bank';
import { CreditAllButton } from './credit-all-dialog';
import { CreditProgress } from './credit-progress';
import { LineActs } from './line-acts';
import { LINE_COLUMNS } from './line-columns';
import { type BankLine, LINE_STATES } from './line-state';
import { StatementFacts } from './statement-facts';

const LIST: List<'/admin/bank/lines'> = {
  path: '/admin/bank/lines',
  claims: { kind: 'bank_line', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ line, amount, party }) => [line, amount, party].filter((part) => part !== null).join(', '),
  empty: 'bank.no_lines',
  filters: [
    {
      name: 'state',
      label: 'bank.state',
      kind: 'choice',
      options: LINE_STATES.map((value) => ({ value, label: `bank.states.${value}` })),
    },
  ],
  columns: LINE_COLUMNS,
};

/** An account statement and its lines. */
export default function StatementPage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const statement = useOne('/admin/bank/statements', id);
  if (statement.data) return <Statement statement={statement.data} />;
  return (
    <>
      <PageHead title={t('bank.one_title')} />
      {statement.isPending ? (
        <SkeletonCards count={3} height="6rem" />
      ) : statement.isError ? (
        <ErrorState error={statement.error} onRetry={() => void statement.refetch()} />
      ) : (
        <p>{t('bank.not_found')}</p>
      )}
    </>
  );
}

function Statement({ statement }: { statement: BankStatement }) {
  const may = useMay();
  const { id } = statement;
  const list = useMemo(() => ({ ...LIST, fixed: { statement_id: id } }), [id]);
  const mayCredit = may('POST /admin/bank/line/credit');
  const mayAct = mayCredit || may('POST /admin/bank/line/aside');
  return (
    <ListPage
      title={statement.name}
      list={list}
      actions={mayCredit && statement.open_lines > 0 ? <CreditAllButton statement={id} /> : null}
      {...(mayAct ? { rowActs: actsOf } : {})}
    >
      <StatementFacts statement={statement} />
      <CreditProgress statement={id} />
    </ListPage>
  );
}

function actsOf(line: BankLine) {
  return <LineActs line={line} name={LIST.rowName(line)} />;
}
