import { useTranslation } from 'react-i18next';
import type { FlowEntry } from '@/lib/api/types';
import styles from './plan-name.module.css';

/** Product and number of a movement's plan, as the text of a link. */
export function PlanName({ plan }: Pick<FlowEntry, 'plan'>) {
  const { t } = useTranslation();
  if (!plan) return t('flow.see_plan');
  return (
    <>
      {plan.product} · <span className={styles.number}>{plan.plan_number}</span>
    </>
  );
}
