import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { updateStore } from './update';
import { startWorker } from './worker';

class Worker extends EventTarget {
  state = 'installing';
  readonly postMessage = vi.fn();

  install() {
    this.state = 'installed';
    this.dispatchEvent(new Event('statechange'));
  }
}

class Registration extends EventTarget {
  waiting: Worker | null = null;
  installing: Worker | null = null;
  active = new Worker();
  readonly update = vi.fn(async () => undefined);

  find(worker: Worker) {
    this.installing = worker;
    this.dispatchEvent(new Event('updatefound'));
  }
}

class Workers extends EventTarget {
  readonly registration = new Registration();
  controller: Worker | null = null;
  readonly register = vi.fn(async () => this.registration);
  readonly ready = Promise.resolve(this.registration);

  say(data: unknown) {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

let workers: Workers;
let script: HTMLScriptElement;

beforeEach(() => {
  workers = new Workers();
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'serviceWorker', { value: workers, configurable: true });
  script = document.createElement('script');
  script.type = 'inert';
  script.setAttribute('src', '/assets/boot-1a2b3c4d.js');
  document.head.append(script);
});

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker');
  vi.unstubAllGlobals();
  vi.useRealTimers();
  script.remove();
  updateStore.set(false);
});

const PAGE = { type: 'page', script: '/assets/boot-1a2b3c4d.js' };

test('registers past the HTTP cache and lets the worker keep what was loaded', async () => {
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([
    { name: `${location.origin}/assets/en-1.js` },
    { name: `${location.origin}/api/user/info` },
    { name: 'https://elsewhere.example/assets/x.js' },
  ] as PerformanceEntry[]);
  await startWorker();
  expect(workers.register).toHaveBeenCalledExactlyOnceWith('/sw.js', { updateViaCache: 'none' });
  expect(workers.registration.active.postMessage).toHaveBeenCalledExactlyOnceWith({
    type: 'keep',
    paths: ['/assets/en-1.js'],
  });
});

test('there is no worker on plain http or in a host app', async () => {
  vi.stubGlobal('isSecureContext', false);
  await startWorker();
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('AdfolioHost', { close: () => undefined });
  await startWorker();
  expect(workers.register).not.toHaveBeenCalled();
});

test('a browser that refuses a worker still has the app', async () => {
  workers.register.mockRejectedValue(new DOMException('blocked', 'SecurityError'));
  await expect(startWorker()).resolves.toBeUndefined();
});

test('a worker that waits from the last visit learns which release the page is of', async () => {
  const waiting = new Worker();
  workers.registration.waiting = waiting;
  await startWorker();
  expect(waiting.postMessage).toHaveBeenCalledExactlyOnceWith(PAGE);
  expect(updateStore.get()).toBe(false);
});

test('an update that arrives during the visit is offered once its worker says that the page is older', async () => {
  workers.controller = new Worker();
  await startWorker();
  const next = new Worker();
  workers.registration.find(next);
  expect(next.postMessage).not.toHaveBeenCalled();
  next.install();
  expect(next.postMessage).toHaveBeenCalledExactlyOnceWith(PAGE);
  expect(updateStore.get()).toBe(false);
  workers.say({ type: 'update' });
  expect(updateStore.get()).toBe(true);
});

test('the first worker is no update', async () => {
  await startWorker();
  const first = new Worker();
  workers.registration.find(first);
  first.install();
  expect(first.postMessage).not.toHaveBeenCalled();
});

test('an open page looks for updates when the user comes back, once an hour', async () => {
  vi.useFakeTimers();
  await startWorker();
  const comeBack = () => document.dispatchEvent(new Event('visibilitychange'));
  comeBack();
  expect(workers.registration.update).not.toHaveBeenCalled();
  vi.setSystemTime(Date.now() + 3_600_000);
  comeBack();
  comeBack();
  expect(workers.registration.update).toHaveBeenCalledTimes(1);
});
