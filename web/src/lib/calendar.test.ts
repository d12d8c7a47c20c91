import { expect, test } from 'vitest';
import { dayIn, daysBefore, daysOf, isDay, type Period, periodOf, shiftDay } from './calendar';

test('a moment is another day in another time zone', () => {
  const at = new Date('2026-11-30T22:30:00Z');
  expect(dayIn('UTC', at)).toBe('2026-11-30');
  expect(dayIn('Asia/Tokyo', at)).toBe('2026-12-01');
  expect(dayIn('America/Los_Angeles', at)).toBe('2026-11-30');
  expect(dayIn('Pacific/Kiritimati', new Date('2026-12-31T10:00:00Z'))).toBe('2027-01-01');
  expect(dayIn('America/St_Johns', new Date('2026-03-01T03:29:00Z'))).toBe('2026-02-28');
});

test.each<[Period, string, string]>([
  ['today', '2026-03-01', '2026-03-01'],
  ['yesterday', '2026-02-28', '2026-02-28'],
  ['last_7_days', '2026-02-23', '2026-03-01'],
  ['last_30_days', '2026-01-31', '2026-03-01'],
  ['month', '2026-03-01', '2026-03-01'],
  ['last_month', '2026-02-01', '2026-02-28'],
])('%s on the first of March is from %s to %s', (period, from, until) => {
  expect(daysOf(period, '2026-03-01')).toEqual({ from, until });
});

test('all time and chosen days have no days of their own', () => {
  expect(daysOf('all', '2026-03-01')).toEqual({});
  expect(daysOf('custom', '2026-03-01')).toEqual({});
});

test('the month of a preset is that of the zone, also over a year', () => {
  const at = new Date('2026-12-31T15:30:00Z');
  expect(daysOf('last_month', dayIn('Asia/Tokyo', at))).toEqual({ from: '2026-12-01', until: '2026-12-31' });
  expect(daysOf('last_month', dayIn('UTC', at))).toEqual({ from: '2026-11-01', until: '2026-11-30' });
});

test('days are counted over a change of the clocks', () => {
  expect(shiftDay('2026-03-30', -2)).toBe('2026-03-28');
  expect(shiftDay('2024-02-28', 1)).toBe('2024-02-29');
});

test('a period is compared with as much before it', () => {
  const before = (period: Period, from: string, until: string) => daysBefore(period, { from, until });
  expect(before('today', '2026-03-01', '2026-03-01')).toEqual({ from: '2026-02-28', until: '2026-02-28' });
  expect(before('last_7_days', '2026-02-23', '2026-03-01')).toEqual({
    from: '2026-02-16',
    until: '2026-02-22',
  });
  expect(before('month', '2026-03-01', '2026-03-31')).toEqual({ from: '2026-02-01', until: '2026-02-28' });
  expect(before('month', '2026-03-01', '2026-03-05')).toEqual({ from: '2026-02-01', until: '2026-02-05' });
  expect(before('last_month', '2026-03-01', '2026-03-31')).toEqual({
    from: '2026-02-01',
    until: '2026-02-28',
  });
  expect(before('custom', '2026-03-10', '2026-03-11')).toEqual({ from: '2026-03-08', until: '2026-03-09' });
  expect(daysBefore('custom', { from: '2026-03-10' })).toBeNull();
  expect(daysBefore('all', {})).toBeNull();
});

test('the query names a period, and only days that exist', () => {
  const read = (query: string) => periodOf(new URLSearchParams(query), '2026-11-20');
  expect(read('')).toEqual({ period: 'all', days: {} });
  expect(read('period=nonsense')).toEqual({ period: 'all', days: {} });
  expect(read('period=today&from=2026-01-01')).toEqual({
    period: 'today',
    days: { from: '2026-11-20', until: '2026-11-20' },
  });
  expect(read('period=custom&from=2026-11-05&until=2026-11-01')).toEqual({
    period: 'custom',
    days: { from: '2026-11-01', until: '2026-11-05' },
  });
  expect(read('period=custom&from=2026-02-30&until=2026-11-01').days).toEqual({ until: '2026-11-01' });
  expect(isDay('2026-2-3')).toBe(false);
  expect(isDay(null)).toBe(false);
});
