import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { Printer, ReceiptText } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { propertyQuery } from '@/domain/property';
import { withDeskTexts } from '@/i18n/desk-texts';
import type { FlowEntry, FlowTotals } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { Select } from '@/ui/select';
import stack from '@/ui/stack.module.css';
import { EmptyState, Skeleton, SkeletonCards } from '@/ui/states';
import { ColumnMenu } from '@/ui/table/column-menu';
import { DataTable } from '@/ui/table/data-table';
import { ROWS_MAX } from '@/ui/table/export';
import { ExportButton } from '@/ui/table/export-button';
import { PeriodFilter } from '@/ui/table/period-filter';
import { Tile, Tiles } from '@/ui/table/tiles';
import { today } from '@/ui/table/today';
import { useColumns } from '@/ui/table/use-columns';
import { choiceOf } from '@/ui/use-choice';
import { useOverlay } from '@/ui/use-overlay';
import { useQueryPatch } from '@/ui/use-query-patch';
import { EntrySheet } from '../components/entry-sheet';
import { FIGURE_OF } from '../rules';
import styles from './funds-desk.module.css';
import { fundsTableQuery, loadFunds } from './funds-query';
import {
  ALL_ACCOUNTS,
  type AnyAccount,
  type FundsState,
  fundsFilter,
  fundsState,
  isPart,
  typesOfAny,
} from './funds-state';
import { useFundColumns } from './use-fund-columns';

/** The movements as a table. What it shows is in the address. */
function FundsDesk() {
  const { t } = useTranslation();
  const state = fundsState(useSearchParams()[0], today());
  const filter = fundsFilter(state);
  const query = useInfiniteQuery(fundsTableQuery(filter));
  const { refetch } = query;
  const { refetch: refetchProperty } = useQuery(propertyQuery);
  usePageHeader({
    onRefresh: useCallback(() => Promise.all([refetch(), refetchProperty()]), [refetch, refetchProperty]),
  });
  const details = useOverlay('entry');
  const [opened, setOpened] = useState<FlowEntry | null>(null);
  const open = (entry: FlowEntry) => {
    setOpened(entry);
    details.open();
  };
  const totals = query.data?.pages[0]?.totals;
  const { columns, menu } = useColumns(useFundColumns(totals, open), []);
  const busy = query.isPlaceholderData;

  return (
    <div className={stack.gap4}>
      <div className={styles.bar}>
        <Filters state={state} />
        <div className={styles.actions}>
          <ColumnMenu {...menu} />
          <PrintButton query={query} />
          <ExportButton
            name="funds"
            columns={columns.flatMap((column) => column.file)}
            load={(cursor) => loadFunds(filter, cursor)}
          />
        </div>
      </div>
      <Sums state={state} totals={totals} busy={busy} />
      <QueryList
        query={query}
        hasMoreInside
        skeleton={<SkeletonCards count={4} height="5rem" />}
        empty={<NoFunds isFiltered={isPart(state) || state.account !== 'available'} />}
      >
        {(entries, more) => (
          <DataTable
            label={t('title.fund_details')}
            columns={columns}
            rows={entries}
            keyOf={({ id }) => id}
            totals={totals != null}
            busy={busy}
          >
            {more}
          </DataTable>
        )}
      </QueryList>
      {opened ? <EntrySheet entry={opened} isOpen={details.isOpen} onClose={details.close} /> : null}
    </div>
  );
}

function Filters({ state }: { state: FundsState }) {
  const { t } = useTranslation();
  const patch = useQueryPatch();
  const types = typesOfAny(state.account);
  return (
    <div className={styles.filters}>
      <Select
        label={t('funds.account')}
        value={state.account}
        options={ALL_ACCOUNTS.map((value) => ({
          value,
          label: value === 'all' ? t('desk.all_accounts') : t(`flow.account.${value}`),
        }))}
        onChange={(value) =>
          patch((query) => {
            // A type that does not move this balance would find nothing.
            const kept = choiceOf(query, 'type', typesOfAny(value as AnyAccount));
            return { account: value === 'available' ? null : value, type: kept === 'all' ? null : kept };
          })
        }
      />
      <Select
        label={t('funds.type')}
        value={state.type}
        options={types.map((value) => ({
          value,
          label: value === 'all' ? t('funds.all_types') : t(`flow.${value}`),
        }))}
        onChange={(value) => patch({ type: value === 'all' ? null : value })}
      />
      <PeriodFilter state={state} />
    </div>
  );
}

type Funds = UseInfiniteQueryResult<InfiniteData<{ items: readonly FlowEntry[] }>>;

/** Prints all rows, and not only those that were scrolled to. */
function PrintButton({ query }: { query: Funds }) {
  const { t } = useTranslation();
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    setRunning(true);
    let read: Funds = query;
    while (read.hasNextPage && !read.isFetchNextPageError && rowsIn(read) < ROWS_MAX) {
      read = await query.fetchNextPage();
    }
    setRunning(false);
    // The last rows must be drawn first.
    requestAnimationFrame(() => print());
  };
  return (
    <Button tone="secondary" busy={isRunning} onClick={run}>
      <Printer size={18} aria-hidden="true" />
      {t('desk.print')}
    </Button>
  );
}

function rowsIn({ data }: Funds): number {
  return data?.pages.reduce((count, { items }) => count + items.length, 0) ?? 0;
}

type SumsProps = { state: FundsState; totals: FlowTotals | null | undefined; busy: boolean };

/** The balance, and what the movements that are shown add up to. */
function Sums({ state, totals, busy }: SumsProps) {
  const { t } = useTranslation();
  const property = useQuery(propertyQuery).data;
  const { account } = state;
  if (account === 'all') return <p className={styles.hint}>{t('desk.no_totals')}</p>;
  const shown = (value: string | undefined, signed = false) =>
    value === undefined ? (
      <Skeleton width="7rem" height="1.45em" />
    ) : (
      <Money value={value} {...(signed ? { signed: 'movement' } : {})} />
    );
  return (
    <Tiles busy={busy}>
      <Tile label={t(`flow.account.${account}`)}>
        {property ? (
          <Money value={property[FIGURE_OF[account]]} currency={property.currency} />
        ) : (
          <Skeleton width="9rem" height="1.45em" />
        )}
      </Tile>
      <Tile label={t('funds.income')}>{shown(totals?.in)}</Tile>
      <Tile label={t('funds.expense')}>{shown(totals?.out)}</Tile>
      <Tile label={t('funds.net')}>{shown(totals?.net, true)}</Tile>
    </Tiles>
  );
}

function NoFunds({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation();
  const [, setQuery] = useSearchParams();
  return (
    <EmptyState
      icon={<ReceiptText size={28} />}
      title={t(isFiltered ? 'funds.empty_filtered' : 'funds.empty')}
      text={t(isFiltered ? 'desk.empty_text' : 'funds.empty_text')}
      action={
        isFiltered ? (
          <Button tone="secondary" onClick={() => setQuery({}, { replace: true })}>
            {t('desk.clear')}
          </Button>
        ) : null
      }
    />
  );
}

export const load = withDeskTexts(FundsDesk);
