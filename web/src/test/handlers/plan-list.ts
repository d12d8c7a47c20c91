import type { Plan, PlanFigure, PlanSort, PlanTotals } from '@/lib/api/types';
import { compare, sum } from '@/lib/money';
import { page } from '../answers';
import * as fixtures from '../fixtures';

/** What makes a list a table, which has totals. */
const OF_TABLES = ['sort', 'order', 'from', 'until', 'query'];

/** The plans of a query, as the server lists them. Days are those of UTC. */
export function planList(query: URLSearchParams) {
  const push = query.get('push') ?? 'all';
  const pushed = fixtures.plans.filter((plan) => push === 'all' || plan.official === (push === 'official'));
  const status = query.get('status');
  const figure = query.get('figure') as PlanFigure | null;
  const counted = figure ? fixtures.countedBy(figure, pushed) : null;
  const listed = (counted?.plans ?? pushed).filter((plan) => !status || plan.status === status);
  const isTable = OF_TABLES.some((name) => query.has(name));
  const items = isTable ? sorted(listed.filter(isIn(query)), query) : listed;
  return {
    ...page(items.slice(0, Number(query.get('limit') ?? 20))),
    counts: countsOf(pushed),
    sum: counted?.sum ?? null,
    totals: isTable ? totalsOf(items) : null,
  };
}

function isIn(query: URLSearchParams) {
  const text = query.get('query')?.toLowerCase() ?? '';
  const [from, until] = [query.get('from') ?? '0', query.get('until') ?? '9'];
  return ({ create_time, plan_number, product }: Plan) => {
    const day = create_time.slice(0, 10);
    const isNamed = [plan_number, product.name].some((name) => name.toLowerCase().includes(text));
    return isNamed && day >= from && day <= until;
  };
}

function sorted(plans: Plan[], query: URLSearchParams): Plan[] {
  const by = (query.get('sort') ?? 'create_time') as PlanSort;
  const sign = query.get('order') === 'asc' ? 1 : -1;
  return plans.toSorted((a, b) =>
    by === 'create_time'
      ? sign * a.create_time.localeCompare(b.create_time)
      : sign * compare(String(a[by]), String(b[by])),
  );
}

function totalsOf(plans: Plan[]): PlanTotals {
  const of = (key: 'put_amount' | 'consumed' | 'revenue' | 'profit') => sum(plans.map((plan) => plan[key]));
  const count = (key: 'impressions' | 'clicks') => plans.reduce((total, plan) => total + plan[key], 0);
  return {
    count: plans.length,
    put_amount: of('put_amount'),
    consumed: of('consumed'),
    revenue: of('revenue'),
    profit: of('profit'),
    impressions: count('impressions'),
    clicks: count('clicks'),
  };
}

function countsOf(plans: Plan[]) {
  return plans.reduce<Record<string, number>>((counts, { status }) => {
    counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }, {});
}
