import { expect, test, vi } from 'vitest';
import { closeActionOf } from './host';

type Shell = Parameters<typeof closeActionOf>[0];

/** A window as a host app provides it. */
function windowWith(parts: object, referrer = ''): Shell {
  const host = { document: { referrer }, ...parts } as unknown as Shell;
  return 'parent' in parts ? host : Object.assign(host, { parent: host });
}

test('a browser without a shell has nothing to close', () => {
  expect(closeActionOf(windowWith({}))).toBeNull();
  expect(closeActionOf(windowWith({ AdfolioHost: {}, webkit: { messageHandlers: {} } }))).toBeNull();
});

test.each(['AdfolioHost', 'Android'])('the Android object %s is called as a method', (name) => {
  const native = {
    closed: 0,
    close() {
      this.closed += 1;
    },
  };
  closeActionOf(windowWith({ [name]: native }))?.();
  expect(native.closed).toBe(1);
});

test('iOS gets a message at its handler', () => {
  const close = { postMessage: vi.fn() };
  closeActionOf(windowWith({ webkit: { messageHandlers: { close } } }))?.();
  expect(close.postMessage).toHaveBeenCalledExactlyOnceWith('close');
});

test('Flutter is called by its handler or its channel', () => {
  const callHandler = vi.fn();
  closeActionOf(windowWith({ flutter_inappwebview: { callHandler } }))?.();
  expect(callHandler).toHaveBeenCalledExactlyOnceWith('close');
  const postMessage = vi.fn();
  closeActionOf(windowWith({ AdfolioHost: { postMessage } }))?.();
  expect(postMessage).toHaveBeenCalledExactlyOnceWith('close');
});

test('React Native gets a message of its own form', () => {
  const postMessage = vi.fn();
  closeActionOf(windowWith({ ReactNativeWebView: { postMessage } }))?.();
  expect(postMessage).toHaveBeenCalledExactlyOnceWith('{"type":"close"}');
});

test('a frame tells the page that holds it, and no other origin', () => {
  const parent = { postMessage: vi.fn() };
  closeActionOf(windowWith({ parent }, 'https://host.example/some/page?x=1'))?.();
  expect(parent.postMessage).toHaveBeenCalledExactlyOnceWith(
    { type: 'adfolio:close' },
    'https://host.example',
  );
});

test.each(['', 'about:blank', 'no address'])('a frame that was opened from %j tells nobody', (referrer) => {
  expect(closeActionOf(windowWith({ parent: {} }, referrer))).toBeNull();
});
