import type { Change } from '../../act/act';

/** A value that an edit may change, as texts. */
export type Compared = { what: string; before: string; after: string };

/** What an edit changes; one line that says so if that is nothing. */
export function differences(compared: readonly Compared[], none: string): Change[] {
  const changed = compared.filter(({ before, after }) => before !== after);
  return changed.length > 0 ? changed : [{ what: none, before: null, after: '' }];
}
