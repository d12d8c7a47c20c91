import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { roots } from '@/lib/query-roots';

/** The wallet's figures. Money may have moved elsewhere, so every screen that shows them asks again. */
export const propertyQuery = queryOptions({
  queryKey: [roots.wallet, 'property'],
  queryFn: ({ signal }) => get('/user/property', undefined, { signal }),
  staleTime: 0,
});
