import type { DeliveryReport, Plan, ReportTotals } from '@/lib/api/types';
import { compare, subtract } from '@/lib/money';

/** The path to the delivery reports of a plan. */
export function reportsPath({ id }: Pick<Plan, 'id'>): string {
  return `/plan/reports?id=${encodeURIComponent(id)}`;
}

/** Whether a report replaced an earlier one of the same id. */
export function isRestated({ revision }: Pick<DeliveryReport, 'revision'>): boolean {
  return revision > 1;
}

/** Whether part of a report's spend is over-delivery. The server writes equal amounts equally. */
export function hasUncharged({ spend, charged }: Pick<DeliveryReport, 'spend' | 'charged'>): boolean {
  return spend !== charged;
}

/** The reported spend that is not charged; null if there is none. */
export function overDelivery({ reported, spend }: Pick<ReportTotals, 'reported' | 'spend'>): string | null {
  return compare(reported, spend) > 0 ? subtract(reported, spend) : null;
}

/** The ends of a hash, enough to compare two by eye. */
export function shortHash(hash: string): string {
  return hash.length > 20 ? `${hash.slice(0, 8)}…${hash.slice(-8)}` : hash;
}
