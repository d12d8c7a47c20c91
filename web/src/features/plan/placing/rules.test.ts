import { expect, test } from 'vitest';
import { placement } from '@/test/fixtures-placing';
import { isPaced, learningStage, rateMarks, rateScale, totalSpend } from './rules';

test('a plan learns below 30 clicks, has almost learned below 50, and only while it is delivered', () => {
  const stage = (clicks: number, status: 'putting' | 'put_finished' = 'putting') =>
    learningStage({ clicks, of: 50 }, { status });
  expect([0, 29, 30, 49, 50, 51].map((clicks) => stage(clicks))).toEqual([
    'learning',
    'learning',
    'almost',
    'almost',
    null,
    null,
  ]);
  expect(stage(12, 'put_finished')).toBeNull();
});

test('a plan without a series has no pace, whatever its state', () => {
  const point = { time: '2026-11-20T00:00:00.000Z', planned: '1.00', low: '0.00', high: '2.00', spent: null };
  expect(isPaced({ state: 'on_pace', series: [point] })).toBe(true);
  expect(isPaced({ state: 'not_paced', series: [point] })).toBe(false);
  expect(isPaced({ state: 'on_pace', series: [] })).toBe(false);
});

test('spend adds up to the cent', () => {
  expect(totalSpend([placement({ spend: '0.10' }), placement({ spend: '0.20' })])).toBe('0.30');
  expect(totalSpend([])).toBe('0.00');
});

test('rates share a scale, which neither few impressions nor none can stretch', () => {
  const known = placement({ ctr: 0.02, ctr_low: 0.01, ctr_high: 0.04 });
  const none = placement({ impressions: 0, ctr: 0, ctr_low: 0, ctr_high: 1 });
  expect(rateScale([known, none])).toBe(0.04);
  expect(rateScale([known, placement({ impressions: 3, ctr: 0, ctr_low: 0, ctr_high: 0.56 })])).toBe(0.08);
  expect(rateScale([placement({ impressions: 9, ctr: 0, ctr_low: 0, ctr_high: 0.3 })])).toBe(0.3);
  expect(rateScale([none])).toBe(0);
  expect(rateMarks(known, 0.04)).toEqual({ low: 25, rate: 50, high: 100 });
  expect(rateMarks({ ...known, ctr_high: 0.9 }, 0.04).high).toBe(100);
});
