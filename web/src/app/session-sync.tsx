import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followOtherTabs, sessionStore } from '@/lib/session/store';

/** Nothing of one user's data outlives his session, also when it ends in another tab. */
export function SessionSync() {
  const queryClient = useQueryClient();
  useEffect(() => {
    let token = sessionStore.get().token;
    followOtherTabs(() => queryClient.clear());
    return sessionStore.subscribe(() => {
      const current = sessionStore.get().token;
      if (token !== null && current !== token) queryClient.clear();
      token = current;
    });
  }, [queryClient]);
  return null;
}
