import { useQueryClient } from '@tanstack/react-query';
import { userInfoQuery } from '@/domain/user-info';
import type { Session } from '@/lib/api/types';
import { keepDeviceToken, startSession } from '@/lib/session/store';

/** Starts a session with the server's answer and caches its user. See `startSession` about `openedBy`. */
export function useSessionStart(): (session: Session, openedBy?: string | null) => void {
  const queryClient = useQueryClient();
  return (session, openedBy = null) => {
    startSession(session.token, session.user.entry, openedBy);
    // A host's user has no password to log in with.
    if (session.device_token && session.user.entry === 'register') keepDeviceToken(session.device_token);
    queryClient.setQueryData(userInfoQuery.queryKey, session.user);
  };
}
