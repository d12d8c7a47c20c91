import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pushOwner } from '@/domain/push/device';
import { userInfoQuery } from '@/domain/user-info';
import { useSession } from '@/lib/session/use-session';

/**
 * Registers a browser that shows messages again at each start, after a change of the language, and when its worker
 * says that its address has changed.
 */
export function PushSync() {
  const { lang } = useSession();
  const userId = useQuery({ ...userInfoQuery, enabled: false }).data?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server sends messages in the language of this call
  useEffect(() => {
    if (!userId) return;
    renewFor(userId);
    const onMessage = ({ data }: MessageEvent) => {
      if (data?.type === 'push') renewFor(userId);
    };
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    workers?.addEventListener('message', onMessage);
    return () => workers?.removeEventListener('message', onMessage);
  }, [userId, lang]);
  return null;
}

function renewFor(userId: string): void {
  if (pushOwner() === null) return;
  // If this fails, the next start tries again.
  import('@/domain/push/push').then(({ renew }) => renew(userId)).catch(() => undefined);
}
