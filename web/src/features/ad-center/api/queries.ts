import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { timeZoneName } from '@/lib/time-zone';
import { type Range, rangeType } from '../rules';
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
