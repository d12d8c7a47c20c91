import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { cx } from '../cx';
import styles from './data-table.module.css';

export type Column<R> = {
  key: string;
  label: string;
  /** Figures stand at the end of their cell, so that their digits align. */
  end?: boolean;
  /** The server can sort by it. */
  sortable?: boolean;
  cell: (row: R) => ReactNode;
  /** What the rows add up to, on whatever page they are. */
  total?: ReactNode;
};

export type Sorting = { by: string; ascending: boolean; onSort: (by: string) => void };

type Props<R> = {
  label: string;
  /** The first one names the row. */
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  sorting?: Sorting;
  /** The last row adds up the others. */
  totals?: boolean;
  /** The rows of another choice, until those of the present one arrive. */
  busy?: boolean;
  /** The table is a part of a card, with less room for names. */
  narrow?: boolean;
  children?: ReactNode;
};

/** A table with a fixed head and foot. It scrolls in itself, so that a wide one never widens the page. */
export function DataTable<R>(props: Props<R>) {
  const { label, columns, rows, keyOf, sorting, totals = false, busy = false, children } = props;
  const { narrow = false } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table
        className={cx(styles.table, narrow && styles.narrow, busy && styles.busy)}
        aria-busy={busy || undefined}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} onClick={openRow}>
              {columns.map((column, place) => (
                <Cell key={column.key} end={column.end} isName={place === 0}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
        {totals ? (
          <tfoot>
            <tr>
              {columns.map((column, place) => (
                <Cell key={column.key} end={column.end} isName={place === 0}>
                  {column.total}
                </Cell>
              ))}
            </tr>
          </tfoot>
        ) : null}
      </table>
      {children}
    </section>
  );
}

/** A click anywhere on a row is one on the link or button that names it. Text can still be selected. */
function openRow({ currentTarget, target }: MouseEvent<HTMLTableRowElement>): void {
  const isOther = target instanceof Element && target.closest('a, button, input');
  if (isOther || !getSelection()?.isCollapsed) return;
  currentTarget.querySelector<HTMLElement>('th > a, th > button')?.click();
}

type HeadProps<R> = { column: Column<R>; sorting: Sorting | undefined };

function Head<R>({ column, sorting }: HeadProps<R>) {
  const { key, label, end, sortable } = column;
  if (!sorting || !sortable) {
    return (
      <th scope="col" className={cx(end && styles.end)}>
        {label}
      </th>
    );
  }
  const isSorted = sorting.by === key;
  const Icon = isSorted ? (sorting.ascending ? ArrowUp : ArrowDown) : ChevronsUpDown;
  return (
    <th
      scope="col"
      className={cx(end && styles.end, styles.sortable)}
      aria-sort={isSorted ? (sorting.ascending ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" className={styles.sort} onClick={() => sorting.onSort(key)}>
        <span>{label}</span>
        <Icon size={14} aria-hidden="true" />
      </button>
    </th>
  );
}

type CellProps = { end: boolean | undefined; isName: boolean; children: ReactNode };

function Cell({ end, isName, children }: CellProps) {
  if (isName) return <th scope="row">{children}</th>;
  return <td className={cx(end && styles.end)}>{children}</td>;
}
