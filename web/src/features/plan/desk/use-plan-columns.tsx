import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Plan, PlanTotals } from '@/lib/api/types';
import { Money } from '@/ui/money';
import type { Column } from '@/ui/table/data-table';
import { type CsvColumn, csvTime } from '@/ui/table/export';
import { StatusBadge } from '../components/status-badge';
import { PlanLink } from './plan-link';
import { returnOf, SORTS } from './table-state';

type PlanColumn = Column<Plan> & { file: readonly CsvColumn<Plan>[] };

/** Shown where there is nothing to divide by. */
const NO_FIGURE = '–';

/** Those that a table begins without. */
export const EXTRA_COLUMNS = ['result', 'coupon_share', 'to_be_consumed'] as const;

/** All columns that a table of plans can have. The first one always stays. */
export function usePlanColumns(totals: PlanTotals | null | undefined): PlanColumn[] {
  const { t } = useTranslation();
  const { date, integer, times } = useFormats();
  const ratio = (of: Pick<Plan, 'revenue' | 'consumed'>) => {
    const value = returnOf(of);
    return value ? times(value) : NO_FIGURE;
  };

  type Extra = { signed?: 'result'; total?: string | undefined };
  const amount = (key: keyof Plan, label: string, value: (plan: Plan) => string, extra: Extra = {}) => {
    const { signed, total } = extra;
    const show = (of: string): ReactNode => <Money value={of} {...(signed ? { signed } : {})} />;
    return {
      key,
      label,
      end: true,
      sortable: isSort(key),
      cell: (plan: Plan) => show(value(plan)),
      total: total === undefined ? null : show(total),
      file: [{ label, csv: value }],
    };
  };
  const count = (key: 'impressions' | 'clicks') => ({
    key,
    label: t(`figure.${key}`),
    end: true,
    sortable: isSort(key),
    cell: (plan: Plan) => integer(plan[key]),
    total: totals ? integer(totals[key]) : null,
    file: [{ label: t(`figure.${key}`), csv: (plan: Plan) => plan[key] }],
  });

  return [
    {
      key: 'plan',
      label: t('desk.plan'),
      cell: (plan) => <PlanLink plan={plan} />,
      total: totals ? t('desk.plans', { count: totals.count }) : null,
      file: [
        { label: t('desk.number'), csv: ({ plan_number }) => plan_number },
        { label: t('desk.product'), csv: ({ product }) => product.name },
      ],
    },
    {
      key: 'status',
      label: t('desk.status'),
      cell: ({ status }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          <StatusBadge status={status} />
        </span>
      ),
      file: [{ label: t('desk.status'), csv: ({ status }) => t(`plan.status.${status}`) }],
    },
    amount('put_amount', t('plan.put_amount'), (plan) => plan.put_amount, { total: totals?.put_amount }),
    amount('consumed', t('figure.consumed'), (plan) => plan.consumed, { total: totals?.consumed }),
    amount('to_be_consumed', t('figure.to_be_consumed'), (plan) => plan.to_be_consumed),
    amount('revenue', t('figure.revenue'), (plan) => plan.revenue, { total: totals?.revenue }),
    amount('profit', t('figure.profit'), (plan) => plan.profit, { signed: 'result', total: totals?.profit }),
    amount('coupon_share', t('plan.coupon_share'), (plan) => plan.coupon_share),
    amount('result', t('plan.result'), (plan) => plan.result, { signed: 'result' }),
    count('impressions'),
    count('clicks'),
    {
      key: 'return',
      label: t('figure.roas'),
      end: true,
      cell: ratio,
      total: totals ? ratio(totals) : null,
      file: [
        {
          label: t('figure.roas'),
          csv: returnOf,
        },
      ],
    },
    {
      key: 'create_time',
      label: t('plan.create_time'),
      end: true,
      sortable: true,
      cell: ({ create_time }) => <time dateTime={create_time}>{date(create_time)}</time>,
      file: [{ label: t('plan.create_time'), csv: ({ create_time }) => csvTime(create_time) }],
    },
  ];
}

function isSort(key: string): boolean {
  return SORTS.some((sort) => sort === key);
}
