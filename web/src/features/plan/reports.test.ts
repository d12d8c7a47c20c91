import { describe, expect, test } from 'vitest';
import { report, SHA256, totals } from '@/test/fixtures-reports';
import { hasUncharged, isRestated, overDelivery, reportsPath, shortHash } from './reports';

describe('a delivery report', () => {
  test('above its first revision is restated', () => {
    expect(isRestated(report({ revision: 1 }))).toBe(false);
    expect(isRestated(report({ revision: 2 }))).toBe(true);
  });

  test('has uncharged spend only after over-delivery', () => {
    expect(hasUncharged(report({ spend: '0.0125', charged: '0.0125' }))).toBe(false);
    expect(hasUncharged(report({ spend: '0.0125', charged: '0.0124' }))).toBe(true);
    expect(hasUncharged(report({ spend: '0.0125', charged: '0.00' }))).toBe(true);
  });

  test('is recognised by the ends of its hash', () => {
    expect(shortHash(SHA256)).toBe('9f86d081…b0f00a08');
    expect(shortHash('9f86d081')).toBe('9f86d081');
  });
});

test('over-delivery is what was reported above the charged spend', () => {
  expect(overDelivery(totals())).toBeNull();
  expect(overDelivery(totals({ spend: '100.00', reported: '100.01' }))).toBe('0.01');
});

test('the id of a plan is escaped in the path to its reports', () => {
  expect(reportsPath({ id: 'a&b' })).toBe('/plan/reports?id=a%26b');
});
