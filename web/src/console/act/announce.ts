import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components';
import type { Outcome } from './act';

/** Long enough to read and to follow a link. A pointer or the focus on it stops the clock. */
const SHOWN_MS = 20_000;
const AT_ONCE = 3;

export const outcomes = new ToastQueue<Outcome>({ maxVisibleToasts: AT_ONCE });

/** Says what has happened, with the way to it. */
export function announce(outcome: Outcome): void {
  outcomes.add(outcome, { timeout: SHOWN_MS });
}
