import type { Part } from '@/i18n/parts';
import {
  type Back,
  HOME_PATH,
  LOGIN_PATH,
  NOT_FOUND_PATH,
  type RouteSpec,
  routeOf,
  WELCOME_PATH,
} from './routes';

/** Where a route redirects a visitor without a token; null if it does not. An entry page keeps its query. */
export function redirectOf(route: RouteSpec, hasToken: boolean, search: string): string | null {
  if (hasToken) return null;
  if (route.entry) return `${WELCOME_PATH}${search}`;
  return route.login ? LOGIN_PATH : null;
}

/** The entry page handles a token in its query. */
export function hasTokenInQuery(route: RouteSpec, search: string): boolean {
  return route.entry === true && new URLSearchParams(search).has('token');
}

/** The route that a visit to an address ends at, as far as address and token tell. */
export function firstRoute(pathname: string, search: string, hasToken: boolean): RouteSpec {
  const asked = routeOf(pathname === '/' ? LOGIN_PATH : pathname) ?? routeOf(NOT_FOUND_PATH);
  // The login redirects users who are logged in.
  const wanted = hasToken && asked?.path === LOGIN_PATH ? routeOf(HOME_PATH) : asked;
  const target = wanted && redirectOf(wanted, hasToken || hasTokenInQuery(wanted, search), '');
  const route = target ? routeOf(target) : wanted;
  if (!route) throw new Error(`no page for ${pathname}`);
  return route;
}

/** The texts that a page needs besides the first. */
export function textsOf({ login, rare, tabBar }: RouteSpec): readonly Part[] {
  if (!login && !rare) return [];
  return tabBar ? ['main'] : ['main', 'rest'];
}

export type BackStep = { to: string } | { step: 'history' } | { step: 'close-host' };

/** What the back button does unless the page handles it; null without a button. */
export function backStep(
  back: Back,
  inHost: boolean,
  hasHistory: boolean,
  above: string = HOME_PATH,
): BackStep | null {
  switch (back) {
    case 'none':
      return null;
    case 'host':
      // Without a host app there is nothing to close, and a dead button is worse than none.
      return inHost ? { step: 'close-host' } : null;
    case 'history':
      // A page opened by its address has no previous page in this visit.
      return hasHistory ? { step: 'history' } : { to: above };
    default:
      return { to: back };
  }
}

export const BADGE_CAP = 99;

/** The text of the bell's badge: capped, null for zero. */
export function badgeText(unread: number | undefined): string | null {
  if (!unread || unread < 0) return null;
  return unread > BADGE_CAP ? `${BADGE_CAP}+` : String(unread);
}
