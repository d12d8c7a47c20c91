import { useQuery } from '@tanstack/react-query';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';

/** More networks than a choice could show. */
const MOST_NETWORKS = 100;

/** The networks by name, for choices and headings. */
export function useNetworks() {
  return useQuery({
    queryKey: consoleKeys.list('/admin/network/list', { limit: String(MOST_NETWORKS) }),
    queryFn: ({ signal }) => staffGet('/admin/network/list', { limit: MOST_NETWORKS }, { signal }),
    select: ({ items }) => items,
  });
}
