/** What is asked for, in this order; the current password only when one is set. */
export type PasswordStep = 'old' | 'new' | 'confirm';

export type Entries = Record<PasswordStep, string>;

export type EntryError = 'incomplete' | 'mismatch' | 'unchanged';

const LENGTH = 6;

export function stepsFor(isSet: boolean): readonly PasswordStep[] {
  return isSet ? ['old', 'new', 'confirm'] : ['new', 'confirm'];
}

/** What is wrong with what was entered at a step; null when the next one can follow. */
export function checkEntry(step: PasswordStep, entries: Entries): EntryError | null {
  if (entries[step].length < LENGTH) return 'incomplete';
  if (step === 'new' && entries.new === entries.old) return 'unchanged';
  if (step === 'confirm' && entries.confirm !== entries.new) return 'mismatch';
  return null;
}

/** The step at which a refusal of the server is said: it may be about an earlier one. */
export function stepOfRefusal(reason: string, isSet: boolean): PasswordStep {
  if (reason === 'WEAK_PAY_PASSWORD') return 'new';
  if (isSet && (reason === 'WRONG_PAY_PASSWORD' || reason === 'PAY_PASSWORD_LOCKED')) return 'old';
  return 'confirm';
}
