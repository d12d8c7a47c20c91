import { queryOptions } from '@tanstack/react-query';
import { propertyQuery } from '../property';
import { askAgainMs } from './rules';

/** The balances for a screen that money leaves by, refetched at the end of a cooling-off period. */
export const leavingPropertyQuery = queryOptions({
  ...propertyQuery,
  refetchInterval: ({ state }) => askAgainMs(state.data?.withdrawal_available_at, Date.now()),
});
