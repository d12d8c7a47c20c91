import {
  type Back,
  HOME_PATH,
  LOGIN_PATH,
  NOT_FOUND_PATH,
  type RouteSpec,
  routeOf,
  WELCOME_PATH,
} from './routes';

/** Where a visitor without a token is sent from a route; null when he may stay. An entry page keeps its query. */
export function redirectOf(route: RouteSpec, hasToken: boolean, search: string): string | null {
  if (hasToken) return null;
  if (route.entry) return `${WELCOME_PATH}${search}`;
  return route.login ? LOGIN_PATH : null;
}

/** The entry page itself takes a token out of its query. */
export function hasTokenInQuery(route: RouteSpec, search: string): boolean {
  return route.entry === true && new URLSearchParams(search).has('token');
}

/** The route of the page that a visit to an address ends at, as far as the address and the token tell. */
export function firstRoute(pathname: string, search: string, hasToken: boolean): RouteSpec {
  const asked = routeOf(pathname === '/' ? LOGIN_PATH : pathname) ?? routeOf(NOT_FOUND_PATH);
  // Who is logged in has no use for the login, which leads him on.
  const wanted = hasToken && asked?.path === LOGIN_PATH ? routeOf(HOME_PATH) : asked;
  const target = wanted && redirectOf(wanted, hasToken || hasTokenInQuery(wanted, search), '');
  const route = target ? routeOf(target) : wanted;
  if (!route) throw new Error(`no page for ${pathname}`);
  return route;
}

export type BackStep = { to: string } | { step: 'history' } | { step: 'close-host' };

/** What the back button does when the page has set no handler; null when there is no button. */
export function backStep(back: Back, inHost: boolean, hasHistory: boolean): BackStep | null {
  switch (back) {
    case 'none':
      return null;
    case 'host':
      // Outside a shell there is nothing to close, and a button that does nothing is worse than none.
      return inHost ? { step: 'close-host' } : null;
    case 'history':
      // A page opened by its address has no page before it in this visit.
      return hasHistory ? { step: 'history' } : { to: HOME_PATH };
    default:
      return { to: back };
  }
}

export const BADGE_CAP = 99;

/** The text of the bell's badge: capped, and none for zero. */
export function badgeText(unread: number | undefined): string | null {
  if (!unread || unread < 0) return null;
  return unread > BADGE_CAP ? `${BADGE_CAP}+` : String(unread);
}
