import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Range, rangeType } from '@/domain/statistics/range';
import { get } from '@/lib/api/call';
import { timeZoneName } from '@/lib/time-zone';
import { adCenterKeys } from './keys';

export const STATISTICS_REFRESH_MS = 30_000;

/** The statistics of a range. Polls every 30 s while the page is visible, and refetches when it becomes visible. */
export const statisticsQuery = (range: Range) =>
  queryOptions({
    queryKey: adCenterKeys.statistics(range),
    queryFn: ({ signal }) =>
      get(
        '/ad/order/data_statistics/list',
        { type: rangeType(range), user_time_zone: timeZoneName() },
        { signal },
      ),
    refetchInterval: STATISTICS_REFRESH_MS,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: 'always',
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** The statistics of all time, asked for once. They only say whether anything was ever delivered. */
export const everQuery = queryOptions({
  ...statisticsQuery('all'),
  refetchInterval: false,
  refetchOnWindowFocus: false,
});

/** The pushed plans that wait for the user's amount, and how many plans have each status. */
export const waitingPlansQuery = queryOptions({
  queryKey: adCenterKeys.waitingPlans,
  queryFn: ({ signal }) => get('/plan/order/list', { push: 'all', status: 'waiting' }, { signal }),
});

/** The campaigns with a coupon for the user. The new-user campaign stays among them after the claim. */
export const claimableQuery = queryOptions({
  queryKey: adCenterKeys.claimable,
  queryFn: async ({ signal }) => (await get('/user_coupon/list', { state: 'unused' }, { signal })).claimable,
  staleTime: 0,
});
