import { useEffect, useRef } from 'react';
import { ApiError, NETWORK } from '@/lib/api/error';
import { useOnline } from '@/lib/online';
import { ErrorState } from '@/ui/states';

const UNREACHABLE = new ApiError(0, '', { reason: NETWORK });
const reload = () => location.reload();

/**
 * Shown in place of a page whose code could not be fetched. Browsers may cache a failed import, so only a reload
 * fetches it reliably; offline, a reload would lose the app.
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
