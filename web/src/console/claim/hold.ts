import type { components } from '@/lib/api/schema';
import { staffPost } from '../api/call';
import { staffSession } from '../session/store';

export type Claim = components['schemas']['Claim'];
/** What a member works on. */
export type Item = components['schemas']['ClaimRequest'];

/** A claim runs out after two minutes. Timers of a hidden tab fire once a minute. */
const RENEWED_EVERY_MS = 45_000;

let turn: Promise<unknown> = Promise.resolve();

/** One call after the other, so that releasing an item and claiming it anew arrive in this order. */
function inTurn(send: () => Promise<unknown>): void {
  // A claim only warns. Without an answer the act is possible all the same.
  turn = turn.then(send).catch(() => undefined);
}

/** Claims an item until the returned function is called, and tells of each answer, which may name somebody else. */
export function holdClaim(item: Item, onAnswer: (claim: Claim) => void): () => void {
  const { token } = staffSession.get();
  const isOurSession = () => staffSession.get().token === token;
  let isHeld = true;

  const claim = () =>
    inTurn(async () => {
      if (!isHeld || !isOurSession()) return;
      const answer = await staffPost('/admin/claim', item);
      if (isHeld) onAnswer(answer);
    });
  const release = (options: { keepalive?: boolean }) =>
    isOurSession() ? staffPost('/admin/claim/release', item, options) : Promise.resolve();
  /** The page may go at once, so this cannot wait for its turn. */
  const onPageHide = () => void release({ keepalive: true }).catch(() => undefined);
  /** A page that comes back as it was has released its claim when it went. */
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) claim();
  };

  claim();
  const timer = setInterval(claim, RENEWED_EVERY_MS);
  window.addEventListener('pagehide', onPageHide);
  window.addEventListener('pageshow', onPageShow);
  return () => {
    isHeld = false;
    clearInterval(timer);
    window.removeEventListener('pagehide', onPageHide);
    window.removeEventListener('pageshow', onPageShow);
    inTurn(() => release({}));
  };
}
