import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import type { UserInfo } from '@/lib/api/types';
import { keptUser } from '@/lib/session/store';
import { sharedKeys } from './keys';

/** The user. After a reload, the browser's copy until the answer arrives. */
export const userInfoQuery = queryOptions<UserInfo>({
  queryKey: sharedKeys.userInfo,
  queryFn: ({ signal }) => get('/user/info', undefined, { signal }),
  placeholderData: () => keptUser() ?? undefined,
});
