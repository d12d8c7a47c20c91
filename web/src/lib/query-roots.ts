/**
 * The first element of every query key. Features keep their own keys below a root; what changes another feature's
 * data names that feature's root here and needs nothing else of it.
 */
export const roots = {
  basicConfig: 'basic-config',
  user: 'user',
  wallet: 'wallet',
  plans: 'plans',
  statistics: 'statistics',
  coupons: 'coupons',
  notifications: 'notifications',
  assistance: 'assistance',
  exchange: 'exchange',
} as const;

/**
 * For how long an answer is taken as the present one by a page that is just opened. Figures change at any time, so no longer
 * than a page takes to be drawn: what was asked for while its code came is not asked for twice.
 */
export const JUST_ASKED_MS = 2_000;
