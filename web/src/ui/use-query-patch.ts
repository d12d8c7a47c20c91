import { type NavigateOptions, useLocation, useNavigate } from 'react-router';
import { currentAddress } from '@/lib/address';

export type QueryPatch = Record<string, string | null | undefined>;

/**
 * Changes parts of the address's query, in place unless the options say otherwise. Without a value, a part is left out.
 * A patch that depends on other parts is a function of the query as it is now: the drawn one may lack the last change.
 */
export function useQueryPatch(): (
  patch: QueryPatch | ((query: URLSearchParams) => QueryPatch),
  options?: NavigateOptions,
) => void {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  return (patch, options) => {
    const { path, search } = currentAddress();
    // The user has left this page; only the next one is not drawn yet.
    if (path !== pathname) return;
    const query = new URLSearchParams(search);
    for (const [name, value] of Object.entries(typeof patch === 'function' ? patch(query) : patch)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    navigate(`?${query}`, { replace: true, ...options });
  };
}
