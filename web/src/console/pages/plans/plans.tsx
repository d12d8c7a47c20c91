import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { PLAN_COLUMNS } from './plan-columns';
import { STATUSES } from './plan-status';

const LIST: List<'/admin/plan/list'> = {
  path: '/admin/plan/list',
  claims: { kind: 'plan', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: (plan) => plan.plan_number,
  rowPath: ({ id }) => `/plans/${id}`,
  empty: 'plans.empty',
  filters: [
    { name: 'plan_number', label: 'plans.number', kind: 'search' },
    {
      name: 'status',
      label: 'plans.status',
      kind: 'choice',
      options: STATUSES.map((value) => ({ value, label: `plans.statuses.${value}` })),
    },
    {
      name: 'push',
      label: 'plans.origin',
      kind: 'choice',
      options: [
        { value: 'official', label: 'plans.origins.official' },
        { value: 'non_official', label: 'plans.origins.non_official' },
      ],
    },
    { name: 'user_id', label: 'plans.user_id', kind: 'text' },
  ],
  columns: PLAN_COLUMNS,
};

/** The plans of all users. */
export default function PlansPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const push = may('POST /admin/plan/push') ? (
    <LinkButton to="/plans/push">{t('plans.push_title')}</LinkButton>
  ) : null;
  return <ListPage title={t('plans.title')} list={LIST} actions={push} />;
}
