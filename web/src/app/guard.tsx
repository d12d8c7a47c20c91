import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useSession } from '@/lib/session/use-session';
import type { RouteSpec } from './routes';
import { hasTokenInQuery, redirectOf } from './rules';

/** Decides who may see a page. After the login, the user returns to the page that the guard turned away. */
export function Guard({ route, children }: { route: RouteSpec; children: ReactNode }) {
  const { token, leftByUser } = useSession();
  const { pathname, search } = useLocation();
  const target = redirectOf(route, token !== null || hasTokenInQuery(route, search), search);
  if (target)
    return <Navigate to={target} replace state={leftByUser ? null : { from: `${pathname}${search}` }} />;
  return children;
}
