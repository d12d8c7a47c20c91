import type { components } from '@/lib/api/schema';

export type Waiting = components['schemas']['Waiting'];
type WaitingKind = Waiting['kind'];

/** The page where each kind is decided, with its filter; null where the console has none. */
export const DECIDED_AT: Readonly<Record<WaitingKind, string | null>> = {
  // These lists show what waits unless their address says otherwise.
  withdrawals: '/withdrawals',
  approvals: '/approvals',
  bank_lines: '/bank',
  payment_batches: '/payments',
  exchange_orders: '/exchange',
  feedback: '/feedback',
  freezes: '/freezes',
  campaigns: '/campaigns',
  delivery_imports: '/imports?state=proposed',
  quarantined_reports: '/quarantine?state=waiting',
  plans_to_finish: '/plans?status=putting',
  plans_to_settle: '/plans?status=waiting_settlement',
  dead_letters: null,
};

/**
 * What is looked at first: what waits longest, then what waits since an unknown time, then what is not known. A tab that
 * is older than the server leaves out kinds that it does not know.
 */
export function inOrder(waiting: readonly Waiting[]): Waiting[] {
  const known = waiting.filter(({ kind }) => Object.hasOwn(DECIDED_AT, kind));
  return known.sort((a, b) => rank(a) - rank(b) || sinceOf(a) - sinceOf(b));
}

function rank({ state, count, oldest_at }: Waiting): number {
  if (oldest_at !== null) return 0;
  if ((count ?? 0) > 0) return 1;
  return state === 'unavailable' ? 2 : 3;
}

function sinceOf(waiting: Waiting): number {
  return waiting.oldest_at === null ? 0 : Date.parse(waiting.oldest_at);
}
