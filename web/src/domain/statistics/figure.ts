import type { PlanFigure } from '@/lib/api/types';
import type { Range } from './range';

/** The figures that add up plans, each with a list of just these plans. */
export const FIGURES = [
  'invested',
  'delivery_orders',
  'to_be_consumed',
  'to_be_settled',
] as const satisfies readonly PlanFigure[];

/** Whether a figure counts the plans of a range. What is to be consumed or settled has none. */
export function hasRange(figure: PlanFigure): boolean {
  return figure === 'invested' || figure === 'delivery_orders';
}

/** The path to the plans that a figure counts. */
export function figurePath(figure: PlanFigure, range: Range = 'today'): string {
  const query = hasRange(figure) && range !== 'today' ? `&range=${range}` : '';
  return `/plan?figure=${figure}${query}`;
}

/** The path to the movements of a figure that is a balance of the wallet; null of any other. */
export function movementsPath(figure: PlanFigure): string | null {
  return hasRange(figure) ? null : `/wallet/fund-details?account=${figure}`;
}
