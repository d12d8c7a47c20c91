// biome-ignore-all lint/a11y/useSemanticElements: the virtualizer places the rows, which a table element does not allow
// biome-ignore-all lint/a11y/useFocusableInteractive: as in a table element, what a row has is focusable and not the row
import {
  columnVisibilityFeature,
  createColumnHelper,
  type RowData,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { cx } from '@/ui/cx';
import { ClaimMark } from '../claim/claim-mark';
import { isFree, ROW_MARK } from '../frame/shortcuts';
import type { Column } from './list';
import { TickAll, TickCell } from './tick-cells';
import type { TickState } from './ticks';
import type { TickColumn } from './use-ticks';
import styles from './virtual-table.module.css';

const features = tableFeatures({ columnVisibilityFeature });

/** The height of most rows in pixels; each is measured when it is drawn. */
const ROW_HEIGHT = 44;
/** Rows drawn above and below what is visible, so that fast scrolling shows no gaps. */
const OVERSCAN = 12;
/** The next rows are fetched when the end is this many rows away. */
const AHEAD = 30;

type Props<Row> = {
  /** What the table lists. */
  label: string;
  columns: readonly Column<Row>[];
  visibility: Readonly<Record<string, boolean>>;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  rowPath?: ((row: Row) => string) | undefined;
  /** The id of a row for those who work on it. */
  claimId?: ((row: Row) => string) | undefined;
  /** The menu of what can be done with a row. */
  rowActs?: ((row: Row) => ReactNode) | undefined;
  ticks?: TickColumn<Row> | undefined;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
};

/**
 * A table of any number of rows, of which only those near the window are in the page. `j` and `k` move between rows and
 * Enter opens one.
 */
export function VirtualTable<Row extends RowData>(props: Props<Row>) {
  const { columns, visibility, rows, rowId, hasMore, isLoadingMore, onMore } = props;
  const { t } = useTranslation('console');
  const scroller = useRef<HTMLDivElement>(null);
  const defs = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map((column) => helper.display({ id: column.id, meta: column }));
  }, [columns]);
  const table = useTable({
    features,
    columns: defs,
    data: rows as Row[],
    getRowId: rowId,
    state: { columnVisibility: visibility },
  });
  // The library returns the same list until the choice of columns changes, and rows are drawn anew only then.
  const leaves = table.getVisibleLeafColumns();
  const shown = useMemo(() => leaves.map(({ columnDef }) => columnDef.meta as Column<Row>), [leaves]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    // Rows may come a frame after the scrolling, which the overscan hides.
    useFlushSync: false,
    getItemKey: (index) => {
      const row = rows[index];
      return row ? rowId(row) : index;
    },
  });
  useRowKeys(scroller, rows.length, (index) => virtual.scrollToIndex(index));

  const drawn = virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? 0;
  const needsMore = hasMore && !isLoadingMore && last >= rows.length - AHEAD;
  useEffect(() => {
    if (needsMore) onMore();
  }, [needsMore, onMore]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reachable by keyboard
    <div className={styles.scroller} ref={scroller} tabIndex={0} role="region" aria-label={props.label}>
      <div
        className={styles.table}
        role="table"
        aria-label={props.label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        style={{ minInlineSize: `min(100%, ${widthOf(shown)}px)` }}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" className={styles.row} aria-rowindex={1}>
            {props.ticks ? <TickAll ticks={props.ticks} /> : null}
            {shown.map((column) => (
              <div
                key={column.id}
                role="columnheader"
                className={cx(styles.heading, column.align && styles.end)}
                style={{ flex: `${column.width} 1 ${column.width}px` }}
              >
                {t(column.header)}
              </div>
            ))}
            {props.rowActs ? (
              <div role="columnheader" className={cx(styles.heading, styles.acts)}>
                <span className="visually-hidden">{t('list.actions')}</span>
              </div>
            ) : null}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ blockSize: virtual.getTotalSize() }}>
          {drawn.map(({ index, start, key }) => {
            const row = rows[index];
            return row ? (
              <VirtualRow
                key={key}
                row={row}
                index={index}
                start={start}
                measure={virtual.measureElement}
                shown={shown}
                rowName={props.rowName}
                rowPath={props.rowPath}
                claimId={props.claimId}
                rowActs={props.rowActs}
                tick={props.ticks?.stateOf(row)}
                onTick={props.ticks?.toggle}
              />
            ) : null;
          })}
        </div>
      </div>
      {isLoadingMore ? (
        <p className={styles.more} role="status">
          {t('list.loading_more')}
        </p>
      ) : null}
    </div>
  );
}

type RowProps<Row> = Pick<Props<Row>, 'rowName' | 'rowPath' | 'claimId' | 'rowActs'> & {
  row: Row;
  index: number;
  /** Pixels from the top of the table's body. */
  start: number;
  measure: (element: HTMLElement | null) => void;
  shown: readonly Column<Row>[];
  /** Null for a row without a box, in a table that has boxes. */
  tick: TickState | null | undefined;
  onTick: ((row: Row) => void) | undefined;
};

/** Memoized, because while somebody scrolls only the rows that come and go need to be drawn. */
const VirtualRow = memo(RowOfTable) as typeof RowOfTable;

function RowOfTable<Row>(props: RowProps<Row>) {
  const { row, index, start, measure, shown, rowName, rowPath, claimId, rowActs, tick, onTick } = props;
  const { t } = useTranslation('console');
  return (
    <div
      role="row"
      className={styles.row}
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      style={{ transform: `translateY(${start}px)` }}
    >
      {tick === undefined ? null : <TickCell state={tick} name={rowName(row)} onTick={() => onTick?.(row)} />}
      {shown.map((column, position) => (
        <div
          key={column.id}
          role="cell"
          className={cx(styles.cell, column.align && styles.end)}
          data-label={t(column.header)}
          style={{ flex: `${column.width} 1 ${column.width}px` }}
        >
          {position === 0 ? (
            <div>
              <RowStart row={row} rowName={rowName} rowPath={rowPath} column={column} />
              {claimId ? <ClaimMark id={claimId(row)} /> : null}
            </div>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
      {rowActs ? (
        <div role="cell" className={cx(styles.cell, styles.acts)}>
          {rowActs(row)}
        </div>
      ) : null}
    </div>
  );
}

type StartProps<Row> = Pick<RowProps<Row>, 'row' | 'rowName' | 'rowPath'> & { column: Column<Row> };

/** The first cell: the link to the row's page, or else where the keyboard stands. */
function RowStart<Row>({ row, rowName, rowPath, column }: StartProps<Row>) {
  const mark = { [ROW_MARK]: '' };
  return rowPath ? (
    <Link className={styles.link} to={rowPath(row)} aria-label={rowName(row)} {...mark}>
      {column.cell(row)}
    </Link>
  ) : (
    <div className={styles.plain} tabIndex={-1} {...mark}>
      {column.cell(row)}
    </div>
  );
}

function widthOf<Row>(columns: readonly Column<Row>[]): number {
  return columns.reduce((total, { width }) => total + width, 0);
}

/** Moves the focus from row to row by `j` and `k`, and scrolls to rows that are not drawn. */
function useRowKeys(
  scroller: { current: HTMLElement | null },
  count: number,
  scrollTo: (index: number) => void,
): void {
  const toRow = useRef(scrollTo);
  toRow.current = scrollTo;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (step === 0 || event.metaKey || event.ctrlKey || event.altKey || !isFree(event.target)) return;
      const box = scroller.current;
      if (!box || count === 0) return;
      event.preventDefault();
      const at = document.activeElement?.closest('[data-index]')?.getAttribute('data-index');
      const first = step === 1 ? -1 : count;
      const index = Math.min(count - 1, Math.max(0, Number(at ?? first) + step));
      toRow.current(index);
      focusRow(box, index);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [scroller, count]);
}

/** A row that was not drawn is there after the next frames. */
function focusRow(box: HTMLElement, index: number, framesLeft = 10): void {
  const link = box.querySelector<HTMLElement>(`[data-index="${index}"] [${ROW_MARK}]`);
  if (link) link.focus({ preventScroll: true });
  else if (framesLeft > 0) requestAnimationFrame(() => focusRow(box, index, framesLeft - 1));
}
