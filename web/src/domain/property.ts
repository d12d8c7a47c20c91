import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { sharedKeys } from './keys';

/** The wallet's figures. Money may have moved elsewhere, so every screen that shows them asks again. */
export const propertyQuery = queryOptions({
  queryKey: sharedKeys.property,
  queryFn: ({ signal }) => get('/user/property', undefined, { signal }),
  staleTime: 0,
});
