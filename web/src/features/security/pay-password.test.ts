import { expect, test } from 'vitest';
import { checkEntry, type Entries, stepOfRefusal, stepsFor } from './pay-password';

const entries = (over: Partial<Entries> = {}): Entries => ({ old: '', new: '', confirm: '', ...over });

test('the current password is asked for only where there is one', () => {
  expect(stepsFor(false)).toEqual(['new', 'confirm']);
  expect(stepsFor(true)).toEqual(['old', 'new', 'confirm']);
});

test('six digits, not too easy, another password than before, and twice the same', () => {
  expect(checkEntry('new', entries({ new: '58392' }))).toBe('incomplete');
  expect(checkEntry('new', entries({ new: '583920' }))).toBeNull();
  expect(checkEntry('new', entries({ old: '583920', new: '583920' }))).toBe('unchanged');
  expect(checkEntry('new', entries({ new: '123456' }))).toBe('weak');
  // It may have been set before the rule.
  expect(checkEntry('old', entries({ old: '123456' }))).toBeNull();
  expect(checkEntry('confirm', entries({ new: '583920', confirm: '583921' }))).toBe('mismatch');
  expect(checkEntry('confirm', entries({ new: '583920', confirm: '583920' }))).toBeNull();
});

test('a refusal is said at the step that it is about', () => {
  expect(stepOfRefusal('WEAK_PAY_PASSWORD', true)).toBe('new');
  expect(stepOfRefusal('WRONG_PAY_PASSWORD', true)).toBe('old');
  expect(stepOfRefusal('PAY_PASSWORD_LOCKED', true)).toBe('old');
  expect(stepOfRefusal('', true)).toBe('confirm');
});
