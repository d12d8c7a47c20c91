import type { ReactNode } from 'react';
import type { GetAnswer, GetQuery } from '@/lib/api/contract';
import type { CsvValue } from '@/lib/csv';
import type { StaffGetPath } from '../api/call';
import type { Item } from '../claim/hold';
import type { ConsoleKey } from '../texts/key';

/** The calls that answer a page of rows. */
export type ListPath = {
  [P in StaffGetPath]: GetAnswer<P> extends { items: readonly object[]; next_cursor?: string | null }
    ? P
    : never;
}[StaffGetPath];

export type RowOf<P extends ListPath> = GetAnswer<P> extends { items: readonly (infer R)[] } ? R : never;

export type Column<Row> = {
  id: string;
  header: ConsoleKey;
  cell: (row: Row) => ReactNode;
  /** The value in an exported file. Amounts stay plain decimal strings. */
  csv: (row: Row) => CsvValue;
  /** Pixels at a desk; what is left goes to all columns in these shares. */
  width: number;
  /** Amounts and counts stand at the end, so that their digits align. */
  align?: 'end';
  /** Present, but shown only once it is chosen. */
  optional?: true;
};

/** A filter is a parameter of the list's call, and of the page's address under the same name. */
export type Filter<P extends ListPath> = {
  name: Extract<keyof GetQuery<P>, string>;
  label: ConsoleKey;
  /** Whether the call takes it with no other filter, as it takes the id of one row. */
  alone?: true;
} & (
  | { kind: 'search' }
  | { kind: 'text' }
  /** `2026-11`. */
  | { kind: 'month' }
  | {
      kind: 'choice';
      options: readonly { value: string; label: ConsoleKey }[];
      /** Chosen while the address names none. `ANY` in the address asks for all. */
      initial?: string;
    }
);

/** The value of a choice in the address that filters nothing, although the list has an initial choice. */
export const ANY = 'any';

export type List<P extends ListPath> = {
  path: P;
  /** What is always asked for, such as the statement whose lines these are. It is not in the page's address. */
  fixed?: Partial<GetQuery<P>>;
  /** What names the columns and views that a member keeps, for a path that several pages list. The path by default. */
  keptAs?: string;
  columns: readonly Column<RowOf<P>>[];
  filters: readonly Filter<P>[];
  rowId: (row: RowOf<P>) => string;
  /** What names the row, for assistive technology. */
  rowName: (row: RowOf<P>) => string;
  /** What a row is to those who work on it, by the kind and id of its claims. */
  claims?: { kind: Item['kind']; id: (row: RowOf<P>) => string };
  /** The page of the row. */
  rowPath?: (row: RowOf<P>) => string;
  /** What to do when there is nothing at all. */
  empty: ConsoleKey;
};
