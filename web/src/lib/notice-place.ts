/** Where notices lead. The service worker uses it, too, so it needs nothing of the app. */
type Target = { kind: string; id: string } | null | undefined;

/** The path to what a notice is about; null if it stands for itself. */
export function targetPath(target: Target): string | null {
  if (!target) return null;
  const id = encodeURIComponent(target.id);
  switch (target.kind) {
    case 'plan':
      return `/plan/detail?id=${id}`;
    case 'entry':
      return `/wallet/fund-details?entry=${id}`;
    case 'withdrawal':
      return `/wallet/withdraw?id=${id}`;
    case 'exchange':
      return `/wallet/foreign-exchange?order=${id}`;
    case 'coupon':
      return '/ad-center/coupons';
    default:
      // A newer server may know more.
      return null;
  }
}

/** Where a tap on a push message leads. Not every message is in the inbox: logins are in the security log. */
export function messagePath(kind: string | undefined, target: Target): string {
  return targetPath(target) ?? (kind === 'security' ? '/ad-center/security' : '/notification');
}
