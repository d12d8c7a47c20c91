import { currentAddress } from '@/lib/address';
import { sessionStore } from '@/lib/session/store';
import type { RouteSpec } from './routes';
import { firstRoute } from './rules';

/** The route and query of the current address. */
export function visited(): { route: RouteSpec; search: string } {
  const { path, search } = currentAddress();
  return { route: firstRoute(path, search, sessionStore.get().token !== null), search };
}
