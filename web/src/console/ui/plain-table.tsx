import type { ReactNode } from 'react';
import styles from './plain-table.module.css';

export type PlainColumn<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Amounts and counts. */
  align?: 'end';
};

type Props<Row> = {
  label: string;
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
};

/** A table of a few rows that are all there. It scrolls in its own box. */
export function PlainTable<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  const classOf = ({ align }: PlainColumn<Row>) => (align === 'end' ? styles.end : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, and no landmark inside the panel's
    <div className={styles.scroller} tabIndex={0} role="group" aria-label={label}>
      <table className={styles.table}>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={rowKey(row, at)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.id} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
