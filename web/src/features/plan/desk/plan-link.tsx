import { Link, useSearchParams } from 'react-router';
import type { Plan } from '@/lib/api/types';
import styles from './plan-link.module.css';
import { besidePath } from './table-state';

/** The id of the link that opens a plan. It gets the focus back when the plan closes. */
export const rowId = (plan: string) => `plan-${plan}`;

/** Product and number of a row's plan, which open it beside the list. */
export function PlanLink({ plan }: { plan: Plan }) {
  const [query] = useSearchParams();
  return (
    <Link
      id={rowId(plan.id)}
      className={styles.plan}
      to={besidePath(plan.id, query)}
      state={{ fromList: true }}
    >
      <span className={styles.product}>{plan.product.name}</span>
      <span className={styles.number}>{plan.plan_number}</span>
    </Link>
  );
}
