import type { components } from '@/lib/api/schema';
import { fromMinor, toMinor } from '@/lib/money';

type Priced = Pick<components['schemas']['Campaign'], 'mode' | 'value' | 'total'>;

/** The most that a campaign can cost; null if there is no limit, as for a percentage of any amount. */
export function mostOf({ mode, value, total }: Priced): string | null {
  return mode === 'discount' || total === null ? null : fromMinor(toMinor(value) * BigInt(total));
}
