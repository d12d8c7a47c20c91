import { NOW } from '../../src/test/fixtures';
import { type Inspection, inspectionScript } from './page-layout';

declare global {
  interface Window {
    /** What the tests put into the page before the app starts. */
    adfolioPage: {
      go: (path: string) => Promise<void>;
      settle: () => Promise<void>;
      /** What is wrong with what is shown, once it is laid out in the size that it has by now. */
      inspect: () => Promise<Inspection>;
    };
  }
}

/** How long a page may take; a busy machine is slow. */
const LIMIT_MS = 15_000;

// What follows runs in the page: it is sent there as text, so it may use nothing from outside but what is sent with it.

let callsUnderWay = 0;

/** Counts the app's calls, and leaves its event stream open without an answer. */
function watchCalls(): void {
  const send = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    if (String(input).includes('/api/stream')) return new Promise(() => undefined);
    callsUnderWay += 1;
    try {
      return await send(input, init);
    } finally {
      // The answer's body and what the app makes of it still have to come.
      setTimeout(() => {
        callsUnderWay -= 1;
      }, 0);
    }
  };
}

function nextFrame(): Promise<number> {
  return new Promise((done) => requestAnimationFrame(done));
}

function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  return new Promise((done, fail) => {
    const look = () => {
      if (holds()) done();
      else if (performance.now() > end) fail(new Error(`${what}: ${location.hash}`));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Lets the moment of the fixtures be now, while timers run on. */
function stopClock(now: number): void {
  window.Date = new Proxy(window.Date, {
    construct: (clock, given) => Reflect.construct(clock, given.length === 0 ? [now] : given),
    get: (clock, name) => (name === 'now' ? () => now : Reflect.get(clock, name)),
  });
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

/** By way of a page that holds nothing, so that the next one starts afresh even where it is the same again. */
async function go(path: string): Promise<void> {
  await leaveFor('/404');
  await leaveFor(path);
  await settle();
}

export const pageScript = `(() => {
  const LIMIT_MS = ${LIMIT_MS};
  let callsUnderWay = 0;
  const pageRoot = ${pageRoot};
  ${[nextFrame, watchCalls, stopClock, until, leaveFor, settle, go].join('\n')}
  ${inspectionScript}
  watchCalls();
  stopClock(${NOW});
  window.adfolioPage = { go, settle, inspect: async () => {
    await nextFrame();
    await nextFrame();
    return inspect();
  } };
})();`;
