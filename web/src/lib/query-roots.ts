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
  security: 'security',
} as const;
