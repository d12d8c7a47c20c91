export const METRICS = ['consumed', 'revenue', 'impressions', 'clicks'] as const;
export type Metric = (typeof METRICS)[number];

export const NONE = 'none';

/** The two metrics that an address names. Never the same twice. */
export function chosenMetrics(query: URLSearchParams): { first: Metric; second: Metric | typeof NONE } {
  const first = METRICS.find((key) => key === query.get('first')) ?? 'consumed';
  const others = [...METRICS.filter((key) => key !== first), NONE] as const;
  const second = others.find((key) => key === query.get('second'));
  // Cost is compared with what it brings, anything else with the cost.
  return { first, second: second ?? (first === 'consumed' ? 'revenue' : 'consumed') };
}

/** Metrics of one unit share an axis, or their lines could not be compared. */
export function unitOf(metric: Metric): string {
  return metric === 'consumed' || metric === 'revenue' ? 'money' : metric;
}
