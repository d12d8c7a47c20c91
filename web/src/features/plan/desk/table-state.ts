import type { Plan, PlanSort } from '@/lib/api/types';
import { type Days, daysBefore, type Period, periodOf } from '@/lib/calendar';
import { toMinor } from '@/lib/money';
import { choiceOf } from '@/ui/use-choice';
import { PUSHES, type Push, STATUS_TABS, type StatusTab } from '../rules';

/** What the server can sort by. The first is the default, newest first. */
export const SORTS = [
  'create_time',
  'put_amount',
  'consumed',
  'revenue',
  'profit',
  'impressions',
  'clicks',
] as const satisfies readonly PlanSort[];

export const ORDERS = ['desc', 'asc'] as const;

/** The longest search that the server takes. */
export const SEARCH_MAX = 100;

export type TableState = {
  push: Push;
  status: StatusTab;
  sort: PlanSort;
  order: (typeof ORDERS)[number];
  search: string;
  period: Period;
  days: Days;
};

/** The table that an address shows. Whatever it does not name, or names wrongly, is the default. */
export function tableState(query: URLSearchParams, today: string): TableState {
  return {
    push: choiceOf(query, 'push', PUSHES),
    status: choiceOf(query, 'status', STATUS_TABS),
    sort: choiceOf(query, 'sort', SORTS),
    order: choiceOf(query, 'order', ORDERS),
    search: (query.get('search') ?? '').trim().slice(0, SEARCH_MAX),
    ...periodOf(query, today),
  };
}

/** The query parts of a click on a column's head: another column begins with its largest value, the same one turns. */
export function sortedBy(by: string, { sort, order }: Pick<TableState, 'sort' | 'order'>) {
  const turned = by === sort && order === 'desc';
  return { sort: by === SORTS[0] ? null : by, order: turned ? 'asc' : null };
}

/** What the server is asked. A sort is always named, because only tables have totals. */
export function tableFilter({ push, status, sort, order, search, days }: TableState) {
  return {
    push,
    sort,
    order,
    ...(status === 'all' ? {} : { status }),
    ...(search ? { query: search } : {}),
    ...days,
  };
}

export type TableFilter = ReturnType<typeof tableFilter>;

/** The same plans in the period before; null if there is none to compare with. */
export function filterBefore(state: TableState): { filter: TableFilter; days: Required<Days> } | null {
  const days = daysBefore(state.period, state.days);
  return days && { filter: tableFilter({ ...state, sort: 'create_time', order: 'desc', days }), days };
}

export function isFiltered({ push, status, search, period }: TableState): boolean {
  return push !== 'all' || status !== 'all' || search !== '' || period !== 'all';
}

/** The parts of the query that filter. Clearing them keeps order and columns. */
export const FILTERS = ['push', 'status', 'search', 'period', 'from', 'until'] as const;

/** A plan beside its list: the list stays as it is. */
export function besidePath(id: string, query: URLSearchParams): string {
  const rest = [...query].filter(([name]) => name !== 'id' && name !== 'products');
  return `/plan/detail?${new URLSearchParams([['id', id], ...rest])}`;
}

/** The list without the plan. */
export function listPath(query: URLSearchParams): string {
  const rest = new URLSearchParams([...query].filter(([name]) => name !== 'id'));
  return rest.size > 0 ? `/plan?${rest}` : '/plan';
}

/** Revenue per spend with four decimals; null without spend. */
export function returnOf({ revenue, consumed }: Pick<Plan, 'revenue' | 'consumed'>): string | null {
  const spent = toMinor(consumed);
  if (spent <= 0n) return null;
  const scaled = (toMinor(revenue) * 10_000n) / spent;
  const digits = String(scaled).padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
