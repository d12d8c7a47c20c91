import { createStore } from '@/lib/store';

/** A session without a touch of mouse, keyboard or screen ends after this time. */
export const IDLE_MS = 30 * 60_000;
/** The warning comes this long before the end. */
export const WARNING_MS = 2 * 60_000;
/** Activity is noted at most this often. */
const NOTED_EVERY_MS = 5_000;

const ACTIVITY = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;
const CHANNEL = 'adfolio.console.activity';

/** When the session ends unless somebody acts: milliseconds since the epoch; null while no warning is due. */
export const idleWarning = createStore<number | null>(null);

type Watch = { stop: () => void; stay: () => void };

/**
 * Watches for idleness. Compares times and not ticks, because a sleeping computer stops timers. Tabs of the same member
 * tell each other of their activity, so that working in one keeps the others.
 */
export function watchIdleness(onIdle: () => void): Watch {
  let last = Date.now();
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);

  const note = (tell: boolean) => {
    const now = Date.now();
    // Once the warning is up, only its own button counts: a bumped mouse is no person at the desk.
    if (idleWarning.get() !== null || now - last < NOTED_EVERY_MS) return;
    last = now;
    if (tell) channel?.postMessage(now);
  };
  const onActivity = () => note(true);
  const check = () => {
    const left = last + IDLE_MS - Date.now();
    if (left <= 0) onIdle();
    else idleWarning.set(left <= WARNING_MS ? last + IDLE_MS : null);
  };
  const stay = () => {
    last = Date.now();
    idleWarning.set(null);
    channel?.postMessage(last);
  };

  for (const event of ACTIVITY) window.addEventListener(event, onActivity, { passive: true, capture: true });
  document.addEventListener('visibilitychange', check);
  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'number' || data <= last) return;
      last = data;
      idleWarning.set(null);
    };
  }
  const timer = setInterval(check, 1_000);

  return {
    stay,
    stop: () => {
      clearInterval(timer);
      channel?.close();
      document.removeEventListener('visibilitychange', check);
      for (const event of ACTIVITY) window.removeEventListener(event, onActivity, { capture: true });
      idleWarning.set(null);
    },
  };
}
