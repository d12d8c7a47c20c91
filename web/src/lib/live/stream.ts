import { commonHeaders } from '@/lib/api/call';
import { isSessionError } from '@/lib/api/error';
import { followEvents } from './events';

export type LiveKind = 'unread' | 'wallet' | 'plan';

/** What has changed. Of two events about one thing, the one with the larger `sequence` is later. */
export type LiveEvent = {
  kind: LiveKind;
  /** The plan that has changed. Null: any may have. */
  id: string | null;
  /** The number of unread notifications. Null: not known. */
  total: number | null;
  sequence: number;
};

export type LiveHandlers = {
  /**
   * `isFirst`: the first event of its kind on this connection, which only means that changes may have been missed
   * before.
   */
  onChange: (event: LiveEvent, isFirst: boolean) => void;
  onConnected: (isConnected: boolean) => void;
  /** The session or the account is gone, and the stream stays closed. */
  onRefused: () => void;
};

const KINDS: readonly string[] = ['unread', 'wallet', 'plan'] satisfies LiveKind[];

/** Follows the session's event stream until the returned function is called. */
export function followStream(handlers: LiveHandlers): () => void {
  let told = new Set<string>();
  return followEvents(
    { url: '/api/stream', headers: commonHeaders, isFinal: isSessionError },
    {
      onConnected: (isConnected) => {
        told = new Set();
        handlers.onConnected(isConnected);
      },
      onEvent: (kind, data) => {
        if (!KINDS.includes(kind)) return;
        handlers.onChange(readEvent(kind as LiveKind, data), !told.has(kind));
        told.add(kind);
      },
      onRefused: handlers.onRefused,
    },
  );
}

/** Without readable data, only the kind of change is known. */
function readEvent(kind: LiveKind, data: string): LiveEvent {
  let fields: Partial<Record<'id' | 'total' | 'sequence', unknown>> = {};
  try {
    fields = Object(JSON.parse(data));
  } catch {
    // The refetch of everything of this kind is the remedy.
  }
  const { id, total, sequence } = fields;
  return {
    kind,
    id: typeof id === 'string' ? id : null,
    total: typeof total === 'number' ? total : null,
    sequence: typeof sequence === 'number' ? sequence : 0,
  };
}
