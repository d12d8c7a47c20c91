import { Printer, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { withDeskTexts } from '@/i18n/desk-texts';
import { currentAddress } from '@/lib/address';
import type { Plan } from '@/lib/api/types';
import { IconButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { Money } from '@/ui/money';
import { QueryList } from '@/ui/query-list';
import { Select } from '@/ui/select';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { SearchField } from '@/ui/table/search-field';
import { useQueryPatch } from '@/ui/use-query-patch';
import { StatusBadge } from '../components/status-badge';
import { STATUS_TABS } from '../rules';
import styles from './plan-split.module.css';
import { returned } from './returned';
import { besidePath, listPath, SEARCH_MAX } from './table-state';
import { usePlanTable } from './use-plan-table';

type Props = { id: string; children: ReactNode };

/** A plan beside its list, which keeps filters, order and search of the table. */
function PlanSplit({ id, children }: Props) {
  const { t } = useTranslation();
  const close = useClose(id);
  return (
    <div className={styles.split}>
      <aside className={styles.aside} aria-label={t('title.plans')}>
        <PlanList id={id} />
      </aside>
      <section className={styles.detail} aria-label={t('title.plan_detail')}>
        <div className={styles.actions}>
          <IconButton label={t('desk.print')} onClick={() => print()}>
            <Printer size={20} aria-hidden="true" />
          </IconButton>
          <IconButton label={t('desk.close_plan')} onClick={close}>
            <X size={22} aria-hidden="true" />
          </IconButton>
        </div>
        {children}
      </section>
    </div>
  );
}

/** Goes back to the table, by button or Esc. A table that this visit has not shown yet takes the plan's place. */
function useClose(id: string): () => void {
  const navigate = useNavigate();
  const location = useLocation();
  const close = () => {
    const { path, search } = currentAddress();
    // A second Esc, before the table is drawn, would leave that, too.
    if (path !== location.pathname) return;
    returned.set(id);
    const { fromList } = (location.state ?? {}) as { fromList?: boolean };
    if (fromList) navigate(-1);
    else navigate(listPath(new URLSearchParams(search)), { replace: true });
  };
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Whatever is open above the plan, or being typed, takes Esc for itself.
      const isTaken = event.defaultPrevented || document.querySelector('dialog[open]') !== null;
      const isTyped = event.target instanceof Element && event.target.closest('input, select, textarea');
      if (event.key === 'Escape' && !isTaken && !isTyped) latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return close;
}

function PlanList({ id }: { id: string }) {
  const { t } = useTranslation();
  const { state, query } = usePlanTable();
  const patch = useQueryPatch();
  return (
    <>
      <div className={styles.filters}>
        <SearchField
          label={t('desk.search')}
          hint={t('desk.search_hint')}
          value={state.search}
          max={SEARCH_MAX}
          onSearch={(text) => patch({ search: text })}
        />
        <Select
          label={t('plan.statuses')}
          value={state.status}
          options={STATUS_TABS.map((value) => ({
            value,
            label: value === 'all' ? t('desk.all_statuses') : t(`plan.status.${value}`),
          }))}
          onChange={(value) => patch({ status: value === 'all' ? null : value })}
        />
      </div>
      <QueryList
        query={query}
        hasMoreInside
        skeleton={<SkeletonCards count={5} height="4.5rem" />}
        empty={<EmptyState icon={null} title={t('plan.empty_filtered')} text={t('desk.empty_text')} />}
      >
        {(plans, more) => (
          <div className={styles.scroll}>
            <ul className={cx(query.isPlaceholderData && styles.busy)}>
              {plans.map((plan) => (
                <PlanItem key={plan.id} plan={plan} isOpen={plan.id === id} />
              ))}
            </ul>
            {more}
          </div>
        )}
      </QueryList>
    </>
  );
}

function PlanItem({ plan, isOpen }: { plan: Plan; isOpen: boolean }) {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) link.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li>
      <Link
        ref={link}
        className={styles.item}
        to={besidePath(plan.id, query)}
        aria-current={isOpen || undefined}
        // The way back leads to the table, over however many plans.
        replace
        state={state}
      >
        <span className={styles.line}>
          <span className={styles.name}>{plan.product.name}</span>
          <span className={styles.figure}>
            <Money value={plan.result} signed="result" />
          </span>
        </span>
        <span className={styles.line}>
          <span className={styles.number}>{plan.plan_number}</span>
          <StatusBadge status={plan.status} />
        </span>
      </Link>
    </li>
  );
}

export const load = withDeskTexts(PlanSplit);
