import { NOW } from '../../src/test/fixtures';
import type { Answer } from './fixture-data';
import { type Inspection, inspectionScript } from './page-layout';
import { styleOrderScript } from './style-order';

/** A call of the app. */
export type Call = { url: string; method: string; headers: Record<string, string>; body: string | null };

declare global {
  interface Window {
    adfolioAnswer: (call: Call) => Promise<Answer>;
    /** Injected into the page before the app starts. */
    adfolioPage: {
      go: (path: string) => Promise<void>;
      /** What the browser says about notifications until the next reload. */
      permit: (permission: NotificationPermission) => void;
      settle: () => Promise<void>;
      /** Layout problems after the layout has settled at the current size. */
      inspect: () => Promise<Inspection>;
      /** Elements that look different when the stylesheets apply in another order. */
      orderDependentLooks: () => string[];
    };
  }
}

/** Generous, for busy machines. */
const LIMIT_MS = 30_000;
const LOOK_MS = 8;
const FRAME_LIMIT_MS = 1_000;

// Everything below runs in the page. It is sent as text, so it can use only what is sent with it.

let callsUnderWay = 0;

/** Forwards the app's calls to the test and counts them. Leaves the event stream open without an answer. */
function answerCalls(): void {
  window.fetch = async (input, { method = 'GET', headers, body } = {}) => {
    const url = new URL(String(input), location.href).href;
    if (url.includes('/api/stream')) return new Promise(() => undefined);
    callsUnderWay += 1;
    const call = {
      url,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body ? String(body) : null,
    };
    const answer = await window.adfolioAnswer(call);
    // The app still has to process the answer.
    setTimeout(() => {
      callsUnderWay -= 1;
    }, 0);
    return new Response(answer.body, {
      status: answer.status,
      headers: { 'Content-Type': answer.contentType },
    });
  };
}

/**
 * Waits for a frame and for the app's resize handlers. A browser with nothing to draw may skip the frame, so the wait
 * is bounded; measuring forces the layout in any case.
 */
function frame(): Promise<void> {
  return new Promise((done) => {
    const end = () => setTimeout(done, 0);
    requestAnimationFrame(end);
    setTimeout(end, FRAME_LIMIT_MS);
  });
}

function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  return new Promise((done, fail) => {
    const look = () => {
      if (holds()) done();
      else if (performance.now() > end) fail(new Error(`${what}: ${location.hash}`));
      // Polling by frames would draw frames that nobody looks at.
      else setTimeout(look, LOOK_MS);
    };
    look();
  });
}

/** Freezes the clock at the fixtures' moment. Timers still run. */
function stopClock(now: number): void {
  window.Date = new Proxy(window.Date, {
    construct: (clock, given) => Reflect.construct(clock, given.length === 0 ? [now] : given),
    get: (clock, name) => (name === 'now' ? () => now : Reflect.get(clock, name)),
  });
}

/** Chromium without a screen denies notifications; people's browsers have not been asked yet. */
function permit(permission: NotificationPermission): void {
  Object.defineProperty(Notification, 'permission', { configurable: true, get: () => permission });
}

const pageRoot = () => document.querySelector('main')?.lastElementChild ?? null;

async function leaveFor(path: string): Promise<void> {
  if (location.hash === `#${path}`) return;
  const left = pageRoot();
  location.hash = `#${path}`;
  await until(() => pageRoot() !== null && pageRoot() !== left, `does not leave for ${path}`);
}

async function settle(): Promise<void> {
  let still = 0;
  await until(() => {
    const busy =
      callsUnderWay > 0 || pageRoot() === null || document.querySelector('[class*="skeleton"]') !== null;
    still = busy ? 0 : still + 1;
    return still > 1;
  }, 'does not come to rest');
}

/** Goes through an empty page when the path stays the same, so that the page starts afresh. */
async function go(path: string): Promise<void> {
  const pageOf = (address: string) => address.replace(/^#|\?.*$/g, '');
  if (pageOf(location.hash) === pageOf(path)) await leaveFor('/404');
  await leaveFor(path);
  await settle();
}

export const pageScript = `(() => {
  const LIMIT_MS = ${LIMIT_MS};
  const LOOK_MS = ${LOOK_MS};
  const FRAME_LIMIT_MS = ${FRAME_LIMIT_MS};
  let callsUnderWay = 0;
  const pageRoot = ${pageRoot};
  ${[frame, answerCalls, stopClock, permit, until, leaveFor, settle, go].join('\n')}
  ${inspectionScript}
  ${styleOrderScript}
  answerCalls();
  stopClock(${NOW});
  permit('default');
  window.adfolioPage = { go, permit, settle, orderDependentLooks, inspect: async () => {
    await frame();
    return inspect();
  } };
})();`;
