import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { sharedKeys } from './keys';

/** The wallet's balances. Money may move elsewhere, so every mount refetches them. */
export const propertyQuery = queryOptions({
  queryKey: sharedKeys.property,
  queryFn: ({ signal }) => get('/user/property', undefined, { signal }),
  staleTime: 0,
});
