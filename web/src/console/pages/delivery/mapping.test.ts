import { beforeEach, expect, test } from 'vitest';
import { firstMapping, keepMapping, mappingJson, mappingSchema, usedTwice } from './mapping';

beforeEach(() => localStorage.clear());

test('columns are understood by the names that networks give them', () => {
  const { columns } = firstMapping('network-a', [
    'Report ID',
    'campaign_id',
    'Date',
    'Imps',
    'clicks',
    'media cost',
  ]);
  expect(columns).toMatchObject({
    report_id: 'Report ID',
    plan_number: 'campaign_id',
    time: 'Date',
    impressions: 'Imps',
    clicks: 'clicks',
    spend: 'media cost',
    revenue: '',
  });
});

test('a source keeps its mapping, as far as the next file has its columns', () => {
  const guessed = firstMapping('network-a', ['p', 't', 'x']);
  const mapping = { ...guessed, columns: { ...guessed.columns, plan_number: 'p', time: 't', clicks: 'x' } };
  keepMapping('network-a', mapping);
  expect(firstMapping('network-a', ['t', 'p', 'y']).columns).toMatchObject({
    plan_number: 'p',
    time: 't',
    clicks: '',
  });
  expect(firstMapping('network-b', ['p', 't', 'x']).columns.plan_number).toBe('');
});

test('a column is used once, and a price is a number', () => {
  const mapping = firstMapping('network-a', ['plan', 'time']);
  const twice = { ...mapping, columns: { ...mapping.columns, clicks: 'time' } };
  expect(usedTwice(twice)).toEqual(['clicks']);
  expect(mappingSchema.safeParse({ ...mapping, model: 'cpm', cost: 'one', earned: '2' }).success).toBe(false);
  const priced = { ...mapping, model: 'cpm' as const, cost: '1.5', earned: '2' };
  expect(mappingSchema.safeParse(priced).success).toBe(true);
  expect(JSON.parse(mappingJson(priced))).toEqual({
    columns: { plan: 'plan_number', time: 'time' },
    pricing: { model: 'cpm', cost: '1.5', revenue: '2' },
  });
});
