import type { Plan } from '@/lib/api/types';
import { cx } from '@/ui/cx';
import { PlanCard } from './plan-card';
import styles from './plan-cards.module.css';

/** `busy`: the plans of another choice, until those of the present one arrive. */
export function PlanCards({ plans, busy = false }: { plans: readonly Plan[]; busy?: boolean }) {
  return (
    <ul className={cx(styles.list, busy && styles.busy)}>
      {plans.map((plan) => (
        <PlanCard key={plan.id} plan={plan} />
      ))}
    </ul>
  );
}
