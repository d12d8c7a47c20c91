import { useQueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import type { Session } from '@/lib/api/types';
import { startSession } from '@/lib/session/store';

/** Takes over a session that the server opened, and what came with it. */
export function useSessionStart(): (session: Session) => void {
  const queryClient = useQueryClient();
  return (session) => {
    startSession(session.token, session.user.entry);
    queryClient.setQueryData(userInfoQuery.queryKey, session.user);
  };
}
