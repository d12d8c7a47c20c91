/**
 * The first element of every query key, by the data that the query reads. A feature lists its own keys in
 * `api/keys.ts`; a change to the data of another feature invalidates that feature's root.
 */
export const roots = {
  basicConfig: ['basic-config'],
  user: ['user'],
  wallet: ['wallet'],
  plans: ['plans'],
  statistics: ['statistics'],
  coupons: ['coupons'],
  notifications: ['notifications'],
  assistance: ['assistance'],
  exchange: ['exchange'],
  security: ['security'],
  push: ['push'],
  legal: ['legal'],
} as const;

/** The keys that more than one feature uses. */
export const sharedKeys = {
  userInfo: [...roots.user, 'info'] as const,
  property: [...roots.wallet, 'property'] as const,
  basicConfig: (lang: string) => [...roots.basicConfig, lang] as const,
  pushKey: [...roots.push, 'key'] as const,
  pushState: (userId: string) => [...roots.push, 'state', userId] as const,
  productDetails: [...roots.plans, 'product'] as const,
};
