import { type Difference, differencesOf } from './differences';
import { writtenOf } from './request';
import type { Entry, SectionSpec } from './sections';

/** One thing that both have changed, each in another way. One of the two has to be chosen. */
export type Conflict = {
  id: string;
  theirs: readonly Difference[];
  mine: readonly Difference[];
};

export type Merge = {
  conflicts: readonly Conflict[];
  /** What somebody else changed and is untouched here. */
  taken: readonly Difference[];
  /** The section with both, and with theirs in the conflicts that are among `chosen`. */
  entries: (chosen: ReadonlySet<string>) => Entry[];
};

/** Brings together what two members have made of the same section. */
export function merge(
  spec: SectionSpec,
  base: readonly Entry[],
  mine: readonly Entry[],
  theirs: readonly Entry[],
): Merge {
  const made = differencesOf(spec, base, mine);
  const others = differencesOf(spec, base, theirs);
  const conflicts = conflictsOf(made, others);
  const contested = new Set(conflicts.flatMap((conflict) => conflict.theirs));
  return {
    conflicts,
    taken: others.filter((difference) => !contested.has(difference)),
    entries: (chosen) => {
      const given = new Set(
        conflicts.filter(({ id }) => chosen.has(id)).flatMap((conflict) => conflict.mine),
      );
      const kept = made.filter((difference) => !given.has(difference));
      return kept.reduce((entries, difference) => withDifference(entries, difference, mine), [...theirs]);
    },
  };
}

function conflictsOf(made: readonly Difference[], others: readonly Difference[]): Conflict[] {
  const found = new Map<string, { theirs: Set<Difference>; mine: Set<Difference> }>();
  for (const mine of made) {
    for (const theirs of others) {
      const id = conflictId(mine, theirs);
      if (id === null) continue;
      const conflict = found.get(id) ?? { theirs: new Set(), mine: new Set() };
      conflict.theirs.add(theirs);
      conflict.mine.add(mine);
      found.set(id, conflict);
    }
  }
  return [...found].map(([id, { theirs, mine }]) => ({ id, theirs: [...theirs], mine: [...mine] }));
}

/** What both are about; null if they go together, or are the same. */
function conflictId(mine: Difference, theirs: Difference): string | null {
  if (mine.kind === 'order' || theirs.kind === 'order') return mine.kind === theirs.kind ? 'order' : null;
  const { key } = mine.entry;
  if (key !== theirs.entry.key) return null;
  if (mine.kind === 'removed' || theirs.kind === 'removed') return mine.kind === theirs.kind ? null : key;
  return isEdit(mine) && isEdit(theirs) ? editId(mine, theirs) : null;
}

type Edit = Difference & { kind: 'text' | 'plain' };

function isEdit(difference: Difference): difference is Edit {
  return difference.kind === 'text' || difference.kind === 'plain';
}

function editId(mine: Edit, theirs: Edit): string | null {
  const [id, other] = [mine, theirs].map((edit) =>
    [edit.entry.key, edit.field, edit.kind === 'text' ? edit.code : ''].join(' '),
  );
  return id !== undefined && id === other && mine.after !== theirs.after ? id : null;
}

function withDifference(entries: Entry[], difference: Difference, mine: readonly Entry[]): Entry[] {
  switch (difference.kind) {
    case 'removed':
      return entries.filter(({ key }) => key !== difference.entry.key);
    case 'added':
      return withEntry(entries, difference.entry, mine);
    case 'order':
      return inOrder(entries, mine);
    default: {
      const { key } = difference.entry;
      // Somebody else has removed it, and it was chosen to stay.
      if (!entries.some((entry) => entry.key === key)) return withEntry(entries, difference.entry, mine);
      return entries.map((entry) => (entry.key === key ? changed(entry, difference) : entry));
    }
  }
}

function changed(entry: Entry, difference: Edit): Entry {
  if (difference.kind === 'plain')
    return { ...entry, plain: { ...entry.plain, [difference.field]: difference.after } };
  const { [difference.code]: _old, ...others } = writtenOf(entry.texts[difference.field]);
  const texts = difference.after === null ? others : { ...others, [difference.code]: difference.after };
  return { ...entry, texts: { ...entry.texts, [difference.field]: texts } };
}

/** Puts an entry behind the one that it follows here. */
function withEntry(entries: Entry[], entry: Entry, mine: readonly Entry[]): Entry[] {
  const at = mine.findIndex(({ key }) => key === entry.key);
  const before = mine[at - 1]?.key;
  const place = before === undefined ? 0 : entries.findIndex(({ key }) => key === before) + 1;
  const index = place === 0 && before !== undefined ? entries.length : place;
  return [...entries.slice(0, index), entry, ...entries.slice(index)];
}

/** The entries that are here in this order; those that are not keep their places. */
function inOrder(entries: Entry[], mine: readonly Entry[]): Entry[] {
  const places = new Map(mine.map(({ key }, index) => [key, index]));
  const known = entries.filter(({ key }) => places.has(key));
  const sorted = known.toSorted((one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0));
  return entries.map((entry) => (places.has(entry.key) ? (sorted.shift() ?? entry) : entry));
}
