import { useQuery } from '@tanstack/react-query';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';

/** The texts as they stand. */
export function useContent() {
  return useQuery({
    queryKey: consoleKeys.one('/admin/content'),
    queryFn: ({ signal }) => staffGet('/admin/content', undefined, { signal }),
  });
}
