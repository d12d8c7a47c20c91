import { useQuery } from '@tanstack/react-query';
import { useMay } from '../session/use-staff';
import { staffGet } from './call';
import { consoleKeys } from './keys';

/** Members change seldom, and every page asks for their names. */
const STALE_MS = 5 * 60_000;
/** More members than this are shown by their ids. */
const KNOWN = 100;

/** The names of members by id, for those who may read the list of staff; nobody's name for the others. */
export function useStaffNames(): ReadonlyMap<string, string> {
  const may = useMay();
  const names = useQuery({
    queryKey: consoleKeys.list('/admin/staff/list', { names: 'all' }),
    queryFn: async ({ signal }) => {
      const { items } = await staffGet('/admin/staff/list', { limit: KNOWN }, { signal });
      return new Map(items.map(({ id, username }) => [id, username]));
    },
    enabled: may('GET /admin/staff/list'),
    staleTime: STALE_MS,
  });
  return names.data ?? NOBODY;
}

const NOBODY: ReadonlyMap<string, string> = new Map();
