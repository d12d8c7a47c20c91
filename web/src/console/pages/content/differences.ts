import { writtenOf } from './request';
import type { Entry, PlainFieldName, SectionSpec, TextFieldName } from './sections';

/** One thing that saving a section changes. Texts are null where there is none. */
export type Difference =
  | {
      kind: 'text';
      entry: Entry;
      field: TextFieldName;
      code: string;
      before: string | null;
      after: string | null;
    }
  | { kind: 'plain'; entry: Entry; field: PlainFieldName; before: string; after: string }
  | { kind: 'added' | 'removed'; entry: Entry }
  | { kind: 'order'; before: readonly Entry[]; after: readonly Entry[] };

export function differencesOf(
  spec: SectionSpec,
  before: readonly Entry[],
  after: readonly Entry[],
): Difference[] {
  const old = new Map(before.map((entry) => [entry.key, entry]));
  const kept = new Set(after.map(({ key }) => key));
  const stayed = before.filter(({ key }) => kept.has(key));
  const found: Difference[] = [];
  for (const entry of before) if (!kept.has(entry.key)) found.push({ kind: 'removed', entry });
  for (const entry of after) {
    const was = old.get(entry.key);
    if (was) found.push(...differencesOfEntry(spec, was, entry));
    else found.push({ kind: 'added', entry });
  }
  const order = after.filter(({ key }) => old.has(key));
  if (order.some(({ key }, index) => key !== stayed[index]?.key))
    found.push({ kind: 'order', before: stayed, after: order });
  return found;
}

function differencesOfEntry(spec: SectionSpec, was: Entry, entry: Entry): Difference[] {
  const plain = spec.plain
    .map((field) => ({
      kind: 'plain' as const,
      entry,
      field,
      before: (was.plain[field] ?? '').trim(),
      after: (entry.plain[field] ?? '').trim(),
    }))
    .filter(({ before, after }) => before !== after);
  const texts = spec.texts.flatMap(({ name: field }) => {
    const [old, now] = [writtenOf(was.texts[field]), writtenOf(entry.texts[field])];
    const codes = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return codes
      .filter((code) => old[code] !== now[code])
      .map((code) => ({
        kind: 'text' as const,
        entry,
        field,
        code,
        before: old[code] ?? null,
        after: now[code] ?? null,
      }));
  });
  return [...plain, ...texts];
}

/** Characters of a text around its change. */
const EXCERPT = 160;
/** Characters before the change, so that it can be found. */
const LEAD = 30;

/** The parts of two texts around where they begin to differ. */
export function excerpts(before: string, after: string): [string, string] {
  const [old, now] = [[...before], [...after]];
  let at = 0;
  while (at < old.length && at < now.length && old[at] === now[at]) at += 1;
  const start = Math.max(0, at - LEAD);
  return [excerptFrom(old, start), excerptFrom(now, start)];
}

function excerptFrom(characters: readonly string[], start: number): string {
  const end = start + EXCERPT;
  const shown = characters.slice(start, end).join('');
  return `${start > 0 ? '…' : ''}${shown}${characters.length > end ? '…' : ''}`;
}
