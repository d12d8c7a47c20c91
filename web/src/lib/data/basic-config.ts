import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { roots } from '@/lib/query-roots';

/** What the platform offers, with its texts in one language: another language is another entry of the cache. */
export const basicConfigQuery = (lang: string) =>
  queryOptions({
    queryKey: [roots.basicConfig, lang],
    queryFn: ({ signal }) => get('/basic_config', { lang }, { signal }),
    staleTime: 60_000,
  });
