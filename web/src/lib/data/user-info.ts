import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { roots } from '@/lib/query-roots';
import { rememberEntry } from '@/lib/session/store';

export const userInfoQuery = queryOptions({
  queryKey: [roots.user, 'info'],
  queryFn: async ({ signal }) => {
    const user = await get('/user/info', undefined, { signal });
    rememberEntry(user.entry);
    return user;
  },
});
