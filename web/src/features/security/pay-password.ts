import { isWeakPayPassword } from '@/domain/pay/weak';

/** The steps in order; the current password only if one is set. */
export type PasswordStep = 'old' | 'new' | 'confirm';

export type Entries = Record<PasswordStep, string>;

export type EntryError = 'incomplete' | 'mismatch' | 'unchanged' | 'weak';

const LENGTH = 6;

export function stepsFor(isSet: boolean): readonly PasswordStep[] {
  return isSet ? ['old', 'new', 'confirm'] : ['new', 'confirm'];
}

/** The error of the entry at a step; null if the next step can follow. */
export function checkEntry(step: PasswordStep, entries: Entries): EntryError | null {
  if (entries[step].length < LENGTH) return 'incomplete';
  if (step === 'new' && entries.new === entries.old) return 'unchanged';
  if (step === 'new' && isWeakPayPassword(entries.new)) return 'weak';
  if (step === 'confirm' && entries.confirm !== entries.new) return 'mismatch';
  return null;
}

/** The step that shows a refusal. It may be an earlier one. */
export function stepOfRefusal(reason: string, isSet: boolean): PasswordStep {
  if (reason === 'WEAK_PAY_PASSWORD') return 'new';
  if (isSet && (reason === 'WRONG_PAY_PASSWORD' || reason === 'PAY_PASSWORD_LOCKED')) return 'old';
  return 'confirm';
}
