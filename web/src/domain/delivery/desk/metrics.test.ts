import { expect, test } from 'vitest';
import { chosenMetrics, unitOf } from './metrics';

test('two metrics are chosen by the address, and never the same twice', () => {
  const chosen = (query: string) => Object.values(chosenMetrics(new URLSearchParams(query)));
  expect(chosen('')).toEqual(['consumed', 'revenue']);
  expect(chosen('first=clicks')).toEqual(['clicks', 'consumed']);
  expect(chosen('first=clicks&second=impressions')).toEqual(['clicks', 'impressions']);
  expect(chosen('first=revenue&second=revenue')).toEqual(['revenue', 'consumed']);
  expect(chosen('second=none')).toEqual(['consumed', 'none']);
  expect(chosen('first=nonsense&second=nonsense')).toEqual(['consumed', 'revenue']);
});

test('only amounts share an axis', () => {
  expect(unitOf('consumed')).toBe(unitOf('revenue'));
  expect(unitOf('impressions')).not.toBe(unitOf('clicks'));
});
