import { Layers, Plus } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { withDeskTexts } from '@/i18n/desk-texts';
import { useFormats } from '@/i18n/format';
import { Button } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { Select } from '@/ui/select';
import stack from '@/ui/stack.module.css';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { ColumnMenu } from '@/ui/table/column-menu';
import { DataTable } from '@/ui/table/data-table';
import { ExportButton } from '@/ui/table/export-button';
import { PeriodFilter } from '@/ui/table/period-filter';
import { SearchField } from '@/ui/table/search-field';
import { today } from '@/ui/table/today';
import { useColumns } from '@/ui/table/use-columns';
import { useQueryPatch } from '@/ui/use-query-patch';
import { countOf, PUSHES, STATUS_TABS } from '../rules';
import { rowId } from './plan-link';
import { PlanSums } from './plan-sums';
import styles from './plans-desk.module.css';
import { returned } from './returned';
import { loadPlans } from './table-query';
import { FILTERS, isFiltered, SEARCH_MAX, sortedBy, type TableState, tableState } from './table-state';
import { EXTRA_COLUMNS, usePlanColumns } from './use-plan-columns';
import { usePlanTable } from './use-plan-table';

type Props = { onNew: () => void };

/** The plans as a table. What it shows is in the address. */
function PlansDesk({ onNew }: Props) {
  const { t } = useTranslation();
  const { state, filter, query, totals } = usePlanTable();
  const patch = useQueryPatch();
  const { columns, menu } = useColumns(usePlanColumns(totals), EXTRA_COLUMNS);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const busy = query.isPlaceholderData;
  useReturn(query.data !== undefined);
  const file = columns.flatMap((column) => column.file);

  return (
    <div className={stack.gap4}>
      <div className={styles.bar}>
        <Filters state={state} counts={query.data?.pages[0]?.counts} />
        <Button onClick={onNew}>
          <Plus size={20} aria-hidden="true" />
          {t('plan.new')}
        </Button>
      </div>
      <PlanSums state={state} totals={totals} busy={busy} />
      <div className={styles.actions}>
        <p role="status">{totals ? t('desk.plans', { count: totals.count }) : null}</p>
        <ColumnMenu {...menu} />
        <ExportButton name="plans" columns={file} load={(cursor) => loadPlans(filter, cursor)} />
      </div>
      <QueryList
        query={query}
        skeleton={<SkeletonCards count={4} height="5rem" />}
        empty={<NoPlans isFiltered={isFiltered(state)} onNew={onNew} />}
        hasMoreInside
      >
        {(plans, more) => (
          <DataTable
            label={t('title.plans')}
            columns={columns}
            rows={plans}
            keyOf={({ id }) => id}
            totals={totals != null}
            busy={busy}
            sorting={{
              by: state.sort,
              ascending: state.order === 'asc',
              onSort: (by) => patch((query) => sortedBy(by, tableState(query, today()))),
            }}
          >
            {more}
          </DataTable>
        )}
      </QueryList>
    </div>
  );
}

/** Gives the focus back to the row whose plan was closed. */
function useReturn(isFilled: boolean): void {
  useEffect(() => {
    const id = returned.get();
    if (!isFilled || !id) return;
    returned.set(null);
    document.getElementById(rowId(id))?.focus();
  }, [isFilled]);
}

type FilterProps = { state: TableState; counts: { [status: string]: number } | undefined };

function Filters({ state, counts }: FilterProps) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const { push, status, search } = state;
  const patch = useQueryPatch();
  const countText = (value: (typeof STATUS_TABS)[number]) => {
    const count = countOf(counts, value);
    return count === undefined ? '' : ` (${integer(count)})`;
  };
  return (
    <div className={styles.filters}>
      <div className={styles.search}>
        <SearchField
          label={t('desk.search')}
          hint={t('desk.search_hint')}
          value={search}
          max={SEARCH_MAX}
          onSearch={(text) => patch({ search: text })}
        />
      </div>
      <Select
        label={t('plan.statuses')}
        value={status}
        options={STATUS_TABS.map((value) => ({
          value,
          label: `${value === 'all' ? t('desk.all_statuses') : t(`plan.status.${value}`)}${countText(value)}`,
        }))}
        onChange={(value) => patch({ status: value === 'all' ? null : value })}
      />
      <Select
        label={t('plan.pushes')}
        value={push}
        options={PUSHES.map((value) => ({
          value,
          label: value === 'all' ? t('desk.all_pushes') : t(`plan.push.${value}`),
        }))}
        onChange={(value) => patch({ push: value === 'all' ? null : value })}
      />
      <PeriodFilter state={state} />
    </div>
  );
}

function NoPlans({ isFiltered, onNew }: { isFiltered: boolean; onNew: () => void }) {
  const { t } = useTranslation();
  const patch = useQueryPatch();
  return (
    <EmptyState
      icon={<Layers size={28} />}
      title={t(isFiltered ? 'plan.empty_filtered' : 'plan.empty')}
      text={t(isFiltered ? 'desk.empty_text' : 'plan.empty_text')}
      action={
        isFiltered ? (
          <Button
            tone="secondary"
            onClick={() => patch(Object.fromEntries(FILTERS.map((name) => [name, null])))}
          >
            {t('desk.clear')}
          </Button>
        ) : (
          <Button tone="secondary" onClick={onNew}>
            {t('plan.new')}
          </Button>
        )
      }
    />
  );
}

export const load = withDeskTexts(PlansDesk);
