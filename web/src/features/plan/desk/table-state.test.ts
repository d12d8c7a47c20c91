import { expect, test } from 'vitest';
import {
  besidePath,
  filterBefore,
  isFiltered,
  listPath,
  returnOf,
  sortedBy,
  tableFilter,
  tableState,
} from './table-state';

const read = (query: string) => tableState(new URLSearchParams(query), '2026-11-20');

test('an address without a table is the newest plans first', () => {
  expect(tableFilter(read(''))).toEqual({ push: 'all', sort: 'create_time', order: 'desc' });
  expect(isFiltered(read('sort=profit&order=asc'))).toBe(false);
});

test('an address names everything that the table shows, and nothing else gets through', () => {
  const state = read('push=official&status=settled&sort=profit&order=asc&search=+harbor+&period=yesterday');
  expect(tableFilter(state)).toEqual({
    push: 'official',
    status: 'settled',
    sort: 'profit',
    order: 'asc',
    query: 'harbor',
    from: '2026-11-19',
    until: '2026-11-19',
  });
  expect(isFiltered(state)).toBe(true);
  expect(tableFilter(read('sort=status&order=up&status=lost&period=ever'))).toEqual(tableFilter(read('')));
  expect(read(`search=${'x'.repeat(300)}`).search).toHaveLength(100);
});

test('a column begins with its largest value and turns with the next click', () => {
  expect(sortedBy('consumed', read(''))).toEqual({ sort: 'consumed', order: null });
  expect(sortedBy('consumed', read('sort=consumed'))).toEqual({ sort: 'consumed', order: 'asc' });
  expect(sortedBy('consumed', read('sort=consumed&order=asc'))).toEqual({ sort: 'consumed', order: null });
  expect(sortedBy('create_time', read('sort=consumed&order=asc'))).toEqual({ sort: null, order: null });
});

test('the period before has the same filters, and all time has none', () => {
  expect(filterBefore(read('status=settled&search=a&period=last_7_days&sort=profit'))).toEqual({
    filter: {
      push: 'all',
      status: 'settled',
      query: 'a',
      sort: 'create_time',
      order: 'desc',
      from: '2026-11-07',
      until: '2026-11-13',
    },
    days: { from: '2026-11-07', until: '2026-11-13' },
  });
  expect(filterBefore(read(''))).toBeNull();
  expect(filterBefore(read('period=custom&from=2026-11-01'))).toBeNull();
});

test('a plan beside its list keeps the list, and the list forgets the plan', () => {
  const query = new URLSearchParams('products=open&status=settled&id=old');
  expect(besidePath('a/b', query)).toBe('/plan/detail?id=a%2Fb&status=settled');
  expect(listPath(new URLSearchParams('id=plan-1&status=settled'))).toBe('/plan?status=settled');
  expect(listPath(new URLSearchParams('id=plan-1'))).toBe('/plan');
});

test('the return is revenue per spend, rounded down, and none without spend', () => {
  expect(returnOf({ revenue: '1132.07', consumed: '1200.00' })).toBe('0.9433');
  expect(returnOf({ revenue: '12.00', consumed: '1.00' })).toBe('12.0000');
  expect(returnOf({ revenue: '0.00', consumed: '1.00' })).toBe('0.0000');
  expect(returnOf({ revenue: '5.00', consumed: '0.00' })).toBeNull();
});
