import { useEffect, useRef } from 'react';
import { ApiError, NETWORK } from '@/lib/api/error';
import { useOnline } from '@/lib/online';
import { ErrorState } from '@/ui/states';

const UNREACHABLE = new ApiError(0, '', { reason: NETWORK });
const reload = () => location.reload();

/**
 * Stands for a page whose code could not be fetched, below the header and above the tabs, which work on. Browsers may keep
 * the failure of a part, so only loading the app anew surely fetches it; offline that would lose even what is there.
 */
export function UnloadedPage({ onLeave }: { onLeave: () => void }) {
  const isOnline = useOnline();
  const leave = useRef(onLeave);
  useEffect(() => leave.current, []);
  const wasOffline = useRef(false);
  useEffect(() => {
    if (isOnline && wasOffline.current) reload();
    wasOffline.current = !isOnline;
  }, [isOnline]);
  return <ErrorState error={UNREACHABLE} onRetry={() => isOnline && reload()} />;
}
