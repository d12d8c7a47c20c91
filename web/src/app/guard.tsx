import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useSession } from '@/lib/session/store';
import type { RouteSpec } from './routes';
import { redirectOf } from './rules';

/** The one place that decides who may see a page. A page that was left for the login is gone back to after it. */
export function Guard({ route, children }: { route: RouteSpec; children: ReactNode }) {
  const { token, leftByUser } = useSession();
  const { pathname, search } = useLocation();
  const target = redirectOf(route, token !== null || hasTokenInQuery(route, search), search);
  if (target)
    return <Navigate to={target} replace state={leftByUser ? null : { from: `${pathname}${search}` }} />;
  return children;
}

// The entry page itself takes the token out of its query.
function hasTokenInQuery(route: RouteSpec, search: string): boolean {
  return route.entry === true && new URLSearchParams(search).has('token');
}
