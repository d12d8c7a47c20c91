import { useQueryClient } from '@tanstack/react-query';
import { Columns3, Download, LayoutList, RotateCw } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Button, IconButton } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { consoleKeys } from '../api/keys';
import { ClaimedRows } from '../claim/claimed-rows';
import { useStaff } from '../session/use-staff';
import { Menu } from '../ui/menu';
import { PageHead } from '../ui/page-head';
import { FilterBar } from './filter-bar';
import { keepColumns, keepView, keptColumns, keptViews, type View } from './kept';
import type { Column, List, ListPath, RowOf } from './list';
import styles from './list-page.module.css';
import { SaveViewDialog } from './save-view-dialog';
import type { Ticks } from './ticks';
import { useExport } from './use-export';
import { type Filters, useFilters } from './use-filters';
import { useList } from './use-list';
import { type TickColumn, useTicks } from './use-ticks';
import { VirtualTable } from './virtual-table';

type Props<P extends ListPath> = {
  title: string;
  list: List<P>;
  /** What the page can do apart from its rows. */
  actions?: ReactNode;
  rowActs?: (row: RowOf<P>) => ReactNode;
  /** For acts on several rows. */
  ticks?: Ticks<RowOf<P>> | undefined;
  /** Above the table. */
  children?: ReactNode;
};

/** A page that is a list: filters in its address, columns and views of the member's own, and a file of all of it. */
export function ListPage<P extends ListPath>({ title, list, actions, rowActs, ticks, children }: Props<P>) {
  const { t } = useTranslation('console');
  const { integer, time } = useFormats();
  const filters = useFilters(list);
  const columns = useColumns(list);
  const rows = useList(list.path, filters.query);
  const { fetchNextPage } = rows;
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const queryClient = useQueryClient();
  const found = rows.data ?? (NO_ROWS as RowOf<P>[]);
  const boxes = useTicks(found, list.rowId, ticks);
  return (
    <>
      <PageHead title={title}>{actions}</PageHead>
      {children}
      <FilterBar list={list} filters={filters} />
      <Tools title={title} list={list} filters={filters} columns={columns} />
      {ticks && boxes && boxes.ticked.length > 0 ? (
        <div className={styles.ticked}>
          <span role="status">{t('list.ticked', { count: boxes.ticked.length })}</span>
          {ticks.acts(boxes.ticked)}
          <Button tone="quiet" onClick={boxes.clear}>
            {t('list.untick')}
          </Button>
        </div>
      ) : null}
      {rows.isPending ? (
        <SkeletonCards count={5} height="2.75rem" />
      ) : rows.isError && found.length === 0 ? (
        <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />
      ) : found.length === 0 ? (
        <p>{filters.isAll ? t(list.empty) : t('list.empty_filtered')}</p>
      ) : (
        <ClaimedRows kind={list.claims?.kind ?? null}>
          <VirtualTable
            label={title}
            columns={list.columns as readonly Column<object>[]}
            visibility={columns.visibility}
            rows={found as object[]}
            rowId={list.rowId as (row: object) => string}
            rowName={list.rowName as (row: object) => string}
            rowPath={list.rowPath as ((row: object) => string) | undefined}
            claimId={list.claims?.id as ((row: object) => string) | undefined}
            rowActs={rowActs as ((row: object) => ReactNode) | undefined}
            ticks={boxes?.column as TickColumn<object> | undefined}
            hasMore={rows.hasNextPage}
            isLoadingMore={rows.isFetchingNextPage}
            onMore={onMore}
          />
        </ClaimedRows>
      )}
      <div className={styles.foot}>
        <span role="status">
          {rows.data
            ? t(rows.hasNextPage ? 'list.shown_more' : 'list.shown', {
                count: found.length,
                formatted: integer(found.length),
              })
            : null}
        </span>
        {rows.dataUpdatedAt > 0 ? <span>{t('list.updated', { time: time(rows.dataUpdatedAt) })}</span> : null}
        <IconButton
          label={t('list.refresh')}
          aria-busy={rows.isFetching || undefined}
          onClick={() => void queryClient.resetQueries({ queryKey: consoleKeys.list(list.path) })}
        >
          <RotateCw size={16} aria-hidden="true" />
        </IconButton>
      </div>
    </>
  );
}

const NO_ROWS: readonly object[] = [];

type Columns = { visibility: Record<string, boolean>; toggle: (id: string) => void };

/** Which columns are shown: those that are not optional, unless the member has chosen otherwise. */
function useColumns<P extends ListPath>({ path, keptAs = path, columns }: List<P>): Columns {
  const { id } = useStaff();
  const [chosen, setChosen] = useState(() => keptColumns(id, keptAs));
  const visibility = Object.fromEntries(
    columns.map((column) => [column.id, chosen[column.id] ?? !column.optional]),
  );
  return {
    visibility,
    toggle: (column) => {
      const next = { ...chosen, [column]: !visibility[column] };
      keepColumns(id, keptAs, next);
      setChosen(next);
    },
  };
}

type ToolsProps<P extends ListPath> = {
  title: string;
  list: List<P>;
  filters: Filters<P>;
  columns: Columns;
};

function Tools<P extends ListPath>({ title, list, filters, columns }: ToolsProps<P>) {
  const { t } = useTranslation('console');
  const { id } = useStaff();
  const keptAs = list.keptAs ?? list.path;
  const [views, setViews] = useState<readonly View[]>(() => keptViews(id, keptAs));
  const [isSaving, setSaving] = useState(false);
  const shown: readonly Column<RowOf<P>>[] = list.columns.filter((column) => columns.visibility[column.id]);
  const file = useExport({ title, list, query: filters.query, columns: shown });
  return (
    <div className={styles.tools}>
      <Menu
        label={t('list.columns')}
        // The first column is where a row is opened.
        entries={list.columns.slice(1).map((column) => ({
          id: column.id,
          label: t(column.header),
          isChosen: columns.visibility[column.id] ?? false,
          act: () => columns.toggle(column.id),
        }))}
      >
        <button type="button" className={styles.tool}>
          <Columns3 size={16} aria-hidden="true" />
          {t('list.columns')}
        </button>
      </Menu>
      <Menu
        label={t('list.views')}
        entries={[
          ...views.map(({ name, search }) => ({ id: name, label: name, act: () => filters.replace(search) })),
          { id: '', label: t('list.save_view'), act: () => setSaving(true) },
        ]}
      >
        <button type="button" className={styles.tool}>
          <LayoutList size={16} aria-hidden="true" />
          {t('list.views')}
        </button>
      </Menu>
      <button type="button" className={styles.tool} onClick={file.isRunning ? file.stop : file.start}>
        <Download size={16} aria-hidden="true" />
        {file.isRunning ? t('list.csv_stop') : t('list.csv')}
      </button>
      <span role="status">{file.isRunning ? t('list.csv_running', { count: file.rows }) : file.message}</span>
      {isSaving ? (
        <SaveViewDialog
          views={views}
          onClose={() => setSaving(false)}
          onViews={setViews}
          onSave={(name) => setViews(keepView(id, keptAs, { name, search: filters.search }))}
          path={keptAs}
        />
      ) : null}
    </div>
  );
}
