import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { columnsOf, userColumn } from '../../table/columns';
import type { Column } from '../../table/list';
import { Badge } from '../../ui/badge';
import { PlanStatus, type StaffPlan } from './plan-status';

const { amount, code, count, moment } = columnsOf<StaffPlan>();

const OPTIONAL = { optional: true } as const;

export const PLAN_COLUMNS: readonly Column<StaffPlan>[] = [
  {
    id: 'number',
    header: 'plans.number',
    width: 190,
    cell: (plan) => <span className="mono">{plan.plan_number}</span>,
    csv: (plan) => plan.plan_number,
  },
  userColumn('plans.user', { width: 100 }),
  {
    id: 'product',
    header: 'plans.product',
    width: 140,
    cell: ({ product }) => product.name,
    csv: ({ product }) => product.name,
  },
  {
    id: 'status',
    header: 'plans.status',
    width: 180,
    cell: ({ status }) => <PlanStatus status={status} />,
    csv: ({ status }) => status,
  },
  amount('put_amount', 'plans.put_amount'),
  amount('paid_amount', 'plans.paid_amount', OPTIONAL),
  amount('discount_amount', 'plans.discount_amount', OPTIONAL),
  amount('coupon_share', 'plans.coupon_share', OPTIONAL),
  count('impressions', 'plans.impressions', OPTIONAL),
  count('clicks', 'plans.clicks', OPTIONAL),
  amount('consumed', 'plans.consumed'),
  amount('to_be_consumed', 'plans.to_be_consumed', OPTIONAL),
  amount('revenue', 'plans.revenue'),
  amount('profit', 'plans.profit', { signed: true }),
  amount('result', 'plans.result', { ...OPTIONAL, signed: true }),
  {
    id: 'progress',
    header: 'plans.progress',
    width: 110,
    align: 'end',
    cell: (plan) => <Progress percent={plan.put_progress} />,
    csv: (plan) => plan.put_progress,
  },
  {
    id: 'marks',
    header: 'plans.marks',
    width: 110,
    cell: (plan) => <Marks plan={plan} />,
    csv: (plan) => marksOf(plan).join(' '),
  },
  moment('create_time', 'plans.create_time'),
  moment('put_time', 'plans.put_time', OPTIONAL),
  moment('finish_time', 'plans.finish_time', OPTIONAL),
  moment('settle_time', 'plans.settle_time', OPTIONAL),
  moment('end_time', 'plans.end_time', OPTIONAL),
  moment('expire_time', 'plans.expire_time', OPTIONAL),
  moment('no_supply_since', 'plans.no_supply_since', OPTIONAL),
  {
    id: 'sources',
    header: 'plans.sources',
    width: 140,
    optional: true,
    cell: ({ sources }) => sources.join(', '),
    csv: ({ sources }) => sources.join(', '),
  },
  {
    id: 'fail_reason',
    header: 'plans.fail_reason',
    width: 220,
    optional: true,
    cell: (plan) => plan.fail_reason,
    csv: (plan) => plan.fail_reason,
  },
  code('id', 'plans.id', OPTIONAL),
];

type Mark = 'official' | 'estimated' | 'no_supply';

function marksOf(plan: StaffPlan): Mark[] {
  const marks: [Mark, boolean][] = [
    ['official', plan.official],
    ['estimated', plan.estimated],
    ['no_supply', plan.no_supply_since !== null],
  ];
  return marks.filter(([, isSet]) => isSet).map(([mark]) => mark);
}

/** What is special about a plan, in words. */
export function Marks({ plan }: { plan: StaffPlan }) {
  const { t } = useTranslation('console');
  return marksOf(plan).map((mark) => (
    <Badge key={mark} tone={mark === 'no_supply' ? 'bad' : 'neutral'}>
      {t(`plans.mark.${mark}`)}
    </Badge>
  ));
}

function Progress({ percent }: { percent: number }) {
  const { wholePercent } = useFormats();
  return <span className="figure">{wholePercent(percent)}</span>;
}
