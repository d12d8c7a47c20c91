import { useCallback, useMemo, useState } from 'react';
import { type TickState, type Ticks, tickable, tickedOf, tickStateOf } from './ticks';

/** The boxes of a table's rows. */
export type TickColumn<Row> = {
  stateOf: (row: Row) => TickState | null;
  toggle: (row: Row) => void;
  /** Whether all that can be ticked are; null if none can be. */
  all: 'all' | 'some' | 'none' | null;
  toggleAll: () => void;
};

type Ticked<Row> = { ticked: readonly Row[]; column: TickColumn<Row>; clear: () => void };

/** Which rows of a list are ticked. Null for a list without boxes. */
export function useTicks<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  ticks: Ticks<Row> | undefined,
): Ticked<Row> | null {
  const [ids, setIds] = useState<ReadonlySet<string>>(NOTHING);
  const ticked = useMemo(() => (ticks ? tickedOf(rows, idOf, ids, ticks) : []), [rows, idOf, ids, ticks]);
  // The same function for every drawing, so that a tick draws one row anew.
  const toggle = useCallback(
    (row: Row) =>
      setIds((current) => {
        const id = idOf(row);
        const next = new Set(current);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [idOf],
  );
  if (!ticks) return null;
  const possible = tickable(rows, ticked, ticks);
  const isAll = possible.length > 0 && possible.length === ticked.length;
  return {
    ticked,
    column: {
      stateOf: (row) => tickStateOf(row, ticked, ticks),
      toggle,
      all: possible.length === 0 ? null : isAll ? 'all' : ticked.length > 0 ? 'some' : 'none',
      toggleAll: () => setIds(isAll ? NOTHING : new Set(possible.map(idOf))),
    },
    clear: () => setIds(NOTHING),
  };
}

const NOTHING: ReadonlySet<string> = new Set();
