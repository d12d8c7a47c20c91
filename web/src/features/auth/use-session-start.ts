import { useQueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import type { Session } from '@/lib/api/types';
import { startSession } from '@/lib/session/store';

/** Starts a session with the server's answer and caches its user. */
export function useSessionStart(): (session: Session) => void {
  const queryClient = useQueryClient();
  return (session) => {
    startSession(session.token, session.user.entry);
    queryClient.setQueryData(userInfoQuery.queryKey, session.user);
  };
}
