import type { ReactNode } from 'react';

/** Which rows of a list can be ticked, and what can be done with those that are. */
export type Ticks<Row> = {
  may: (row: Row) => boolean;
  /** Whether a row can be ticked together with the first one. */
  goTogether: (row: Row, first: Row) => boolean;
  /** How many at once. */
  most: number;
  acts: (ticked: readonly Row[]) => ReactNode;
};

type Rules<Row> = Omit<Ticks<Row>, 'acts'>;

/** `shut`: it could be ticked, but not with those that are. */
export type TickState = 'on' | 'off' | 'shut';

/**
 * The rows that are ticked, of those that the list has. One that can no longer be ticked, because somebody else has
 * decided it or a filter hides it, is not among them.
 */
export function tickedOf<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  ids: ReadonlySet<string>,
  { may }: Rules<Row>,
): Row[] {
  return rows.filter((row) => ids.has(idOf(row)) && may(row));
}

/** Null for a row that has no box. */
export function tickStateOf<Row>(row: Row, ticked: readonly Row[], rules: Rules<Row>): TickState | null {
  if (!rules.may(row)) return null;
  if (ticked.includes(row)) return 'on';
  const [first] = ticked;
  const goes = first === undefined || rules.goTogether(row, first);
  return goes && ticked.length < rules.most ? 'off' : 'shut';
}

/** What one tick for all would tick: those that go with the first, up to the most. */
export function tickable<Row>(rows: readonly Row[], ticked: readonly Row[], rules: Rules<Row>): Row[] {
  const possible = rows.filter(rules.may);
  const first = ticked[0] ?? possible[0];
  if (first === undefined) return [];
  return possible.filter((row) => rules.goTogether(row, first)).slice(0, rules.most);
}
