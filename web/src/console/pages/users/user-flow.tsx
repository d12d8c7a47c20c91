import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import type { components } from '@/lib/api/schema';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { columnsOf } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { UserFlowTotals } from './user-flow-totals';
import { UserStatement } from './user-statement';
import { UserTabs } from './user-tabs';

type Entry = components['schemas']['FlowEntry'];

const TYPES = [
  'system_top_up',
  'manual_payout',
  'ad_billing',
  'ad_serving',
  'system_chargeback',
  'virtual_recharge_deduction',
  'open_membership',
  'profit_sharing',
  'discount_amount',
  'exchange',
  'start_up_funds',
  'guarantee',
] as const satisfies readonly Entry['type'][];

const ACCOUNTS = [
  'available',
  'to_be_consumed',
  'to_be_settled',
  'withdrawing',
] as const satisfies readonly Entry['account'][];

const { amount, code, moment, text } = columnsOf<Entry>();

const LIST: List<'/admin/user/flow'> = {
  path: '/admin/user/flow',
  rowId: ({ id }) => id,
  rowName: ({ type, amount: moved }) => `${type}, ${moved}`,
  empty: 'users.flow_empty',
  filters: [
    {
      name: 'type',
      label: 'users.flow_type',
      kind: 'choice',
      options: TYPES.map((value) => ({ value, label: `plans.flow_types.${value}` })),
    },
    {
      name: 'account',
      label: 'users.flow_account',
      kind: 'choice',
      options: ACCOUNTS.map((value) => ({ value, label: `plans.accounts.${value}` })),
    },
    { name: 'month', label: 'users.month', kind: 'month' },
  ],
  columns: [
    moment('time', 'plans.time'),
    {
      id: 'type',
      header: 'users.flow_type',
      width: 150,
      cell: ({ type }) => <FlowType type={type} />,
      csv: ({ type }) => type,
    },
    {
      id: 'account',
      header: 'users.flow_account',
      width: 130,
      cell: ({ account }) => <Account account={account} />,
      csv: ({ account }) => account,
    },
    amount('amount', 'act.amount', { signed: true }),
    amount('balance_after', 'plans.balance_after', { width: 130 }),
    {
      id: 'plan',
      header: 'users.flow_plan',
      width: 180,
      cell: ({ plan }) => <Plan plan={plan} />,
      csv: ({ plan }) => plan?.plan_number ?? null,
    },
    text('remark', 'plans.remark'),
    code('reference', 'users.flow_reference', { optional: true }),
    code('hash', 'users.flow_hash', { optional: true }),
    code('id', 'users.id', { optional: true }),
  ],
};

/** The fund details of a user: every posting, with filters and totals. */
export default function UserFlowPage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const may = useMay();
  const list = useMemo(() => ({ ...LIST, fixed: { user_id: id } }), [id]);
  const user = useQuery({
    queryKey: consoleKeys.one('/admin/user/detail', id),
    queryFn: ({ signal }) => staffPost('/admin/user/detail', { id }, { signal }),
    enabled: may('POST /admin/user/detail'),
  });
  const name = user.data?.username ?? id;
  return (
    <ListPage title={t('users.flow_of', { name })} list={list}>
      <UserTabs id={id} />
      {may('GET /admin/user/statement') ? <UserStatement id={id} name={name} /> : null}
      <UserFlowTotals list={list} />
    </ListPage>
  );
}

function FlowType({ type }: { type: Entry['type'] }) {
  const { t } = useTranslation('console');
  return t(`plans.flow_types.${type}`);
}

function Account({ account }: { account: Entry['account'] }) {
  const { t } = useTranslation('console');
  return t(`plans.accounts.${account}`);
}

function Plan({ plan }: { plan: Entry['plan'] }) {
  const may = useMay();
  if (plan === null) return null;
  const number = <span className="mono">{plan.plan_number}</span>;
  return may('POST /admin/plan/detail') ? <Link to={`/plans/${plan.id}`}>{number}</Link> : number;
}
