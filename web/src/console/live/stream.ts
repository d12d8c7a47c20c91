import { followEvents } from '@/lib/live/events';
import { hasEnded, noteRefusal, staffHeaders } from '../api/call';
import { staffSession } from '../session/store';
import { isLiveKind, type LiveKind } from './kinds';

type Handlers = {
  /** What may have changed. The first of a connection has every kind that the role may open. */
  onChanged: (kinds: readonly LiveKind[]) => void;
  onConnected: (isConnected: boolean) => void;
};

/** The event of the stream. Others may come later. */
const CHANGED = 'changed';

/** Follows the stream of staff until the returned function is called. A session that has ended ends here, too. */
export function followStaffStream({ onChanged, onConnected }: Handlers): () => void {
  const { token } = staffSession.get();
  return followEvents(
    { url: '/api/admin/stream', headers: staffHeaders, isFinal: hasEnded },
    {
      onConnected,
      onEvent: (event, data) => {
        const kinds = event === CHANGED ? readKinds(data) : [];
        if (kinds.length > 0) onChanged(kinds);
      },
      onRefused: (error) => noteRefusal(error, token),
    },
  );
}

/** The kinds that an event names and the console knows. */
export function readKinds(data: string): LiveKind[] {
  try {
    const { kinds } = Object(JSON.parse(data)) as { kinds?: unknown };
    return Array.isArray(kinds) ? kinds.filter(isLiveKind) : [];
  } catch {
    // The lists are read anew in any case, only later.
    return [];
  }
}
