import { describe, expect, test } from 'vitest';
import { at, coupon } from '@/test/fixtures';
import { checkAmount, countOf, hueOf, quickAmounts, refusalPlace, stepsOf } from './rules';

const limits = { min: '50.00', max: '5000.00', available: '1000.00' };

describe('a put amount', () => {
  test.each([
    ['', 'amount_invalid'],
    ['12.345', 'amount_invalid'],
    ['49.99', 'below_minimum'],
    ['5000.01', 'not_in_range'],
    ['1000.01', 'insufficient'],
    ['1000.00', null],
    ['50', null],
  ])('%j: %s', (typed, wrong) => {
    expect(checkAmount(typed, limits, null)).toBe(wrong);
  });

  test('is paid with the help of a coupon', () => {
    expect(checkAmount('1020.00', limits, coupon({ mode: 'deduction', value: '20.00' }))).toBeNull();
    expect(checkAmount('1020.01', limits, coupon({ mode: 'deduction', value: '20.00' }))).toBe(
      'insufficient',
    );
    expect(checkAmount('60.00', limits, coupon({ amount_requirement: '100.00' }))).toBe('coupon_requirement');
  });

  test('is left to the server while the balance is not known', () => {
    expect(checkAmount('5000.00', { ...limits, available: undefined }, null)).toBeNull();
  });
});

test.each([
  ['INSUFFICIENT_BALANCE', 'amount', 'amount'],
  ['AMOUNT_OUT_OF_RANGE', 'amount', 'amount'],
  ['COUPON_BELOW_REQUIREMENT', 'amount', 'coupon'],
  ['COUPON_NOT_USABLE', 'user_coupon_id', 'coupon'],
  ['PLAN_NOT_PUTTABLE', null, 'plan'],
  ['UNAVAILABLE', null, null],
])('a refusal %s of %s is explained at %s', (reason, field, place) => {
  expect(refusalPlace({ reason, field })).toBe(place);
});

test('suggested amounts can all be paid', () => {
  expect(quickAmounts(limits)).toEqual(['50.00', '100.00', '500.00', '1000.00']);
  expect(quickAmounts({ ...limits, available: '10.00' })).toEqual(['50.00']);
  expect(quickAmounts({ ...limits, available: '50.00' })).toEqual(['50.00']);
});

test('the count for all statuses is their sum', () => {
  expect(countOf({ waiting: 1, putting: 2, settled: 4 }, 'all')).toBe(7);
  expect(countOf({ waiting: 1 }, 'putting')).toBe(0);
  expect(countOf(undefined, 'all')).toBeUndefined();
});

describe('the steps of a plan', () => {
  const step = (status: 'waiting' | 'matching' | 'putting' | 'put_failed' | 'settled') => ({
    status,
    time: at(0),
    reason: null,
  });

  test('show what is done, where it is and what lies ahead', () => {
    const steps = stepsOf({
      status: 'putting',
      timeline: [step('waiting'), step('matching'), step('putting')],
    });
    expect(steps.map(({ status, state }) => `${status} ${state}`)).toEqual([
      'waiting done',
      'matching done',
      'putting current',
      'put_finished ahead',
      'waiting_settlement ahead',
      'settled ahead',
    ]);
  });

  test('nothing lies ahead of a failed plan', () => {
    const steps = stepsOf({ status: 'put_failed', timeline: [step('matching'), step('put_failed')] });
    expect(steps.map(({ state }) => state)).toEqual(['done', 'done']);
  });

  test('a waiting plan has all of it before it', () => {
    expect(stepsOf({ status: 'waiting', timeline: [step('waiting')] })).toHaveLength(6);
  });
});

test('a product keeps its colour', () => {
  expect(hueOf('Merge Harbor')).toBe(hueOf('Merge Harbor'));
});
