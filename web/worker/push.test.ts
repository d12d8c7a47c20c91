import { expect, test, vi } from 'vitest';
import { messageOf, openPlace, passOnChange } from './push';

const ORIGIN = 'https://app.example';

const dataOf = (payload: unknown) => ({ json: () => payload });

/** A window of the browser. */
function windowAt(url: string, over: object = {}) {
  return {
    url,
    focus: vi.fn(async () => undefined),
    navigate: vi.fn(async () => ({})),
    postMessage: vi.fn(),
    ...over,
  };
}

function clientsOf(...windows: ReturnType<typeof windowAt>[]) {
  const openWindow = vi.fn(async () => null);
  return { openWindow, matchAll: async () => windows };
}

test('a message shows its text, leads to its place, and replaces its repetition', () => {
  const { title, options } = messageOf(
    dataOf({
      id: 'push-1',
      title: 'Plan started',
      body: 'AD-1 is being delivered.',
      kind: 'plan',
      target: { kind: 'plan', id: 'plan-1' },
      time: '2026-11-20T14:25:00Z',
    }),
  );
  expect(title).toBe('Plan started');
  expect(options).toEqual({
    body: 'AD-1 is being delivered.',
    tag: 'push-1',
    icon: '/icons/icon-192.png',
    badge: '/icons/badge-96.png',
    timestamp: Date.parse('2026-11-20T14:25:00Z'),
    data: { path: '/plan/detail?id=plan-1' },
  });
});

test.each([
  ['none', null],
  ['no object', dataOf('text')],
  [
    'no JSON',
    {
      json: () => {
        throw new SyntaxError();
      },
    },
  ],
])('a message without a payload is shown, too: %s', (_, data) => {
  const { title, options } = messageOf(data);
  expect(title).toBe('Adfolio');
  expect(options.data).toEqual({ path: '/notification' });
  expect(options).not.toHaveProperty('tag');
});

test('a tap leads the window that was used last', async () => {
  const last = windowAt(`${ORIGIN}/#/wallet`);
  const clients = clientsOf(windowAt(`${ORIGIN}/console/`), last, windowAt(`${ORIGIN}/#/plan`));
  await openPlace('/plan/detail?id=plan-1', clients, ORIGIN);
  expect(last.focus).toHaveBeenCalled();
  expect(last.navigate).toHaveBeenCalledExactlyOnceWith(`${ORIGIN}/#/plan/detail?id=plan-1`);
  expect(clients.openWindow).not.toHaveBeenCalled();
});

test('a window that may not be focused is led all the same', async () => {
  const focus = vi.fn().mockRejectedValue(new DOMException('not allowed', 'InvalidAccessError'));
  const page = windowAt(`${ORIGIN}/`, { focus });
  await openPlace('/notification', clientsOf(page), ORIGIN);
  expect(page.navigate).toHaveBeenCalledExactlyOnceWith(`${ORIGIN}/#/notification`);
});

test('without a window that can be led, one is opened', async () => {
  const navigate = vi.fn().mockRejectedValue(new TypeError('not the active worker'));
  for (const clients of [
    clientsOf(),
    clientsOf(windowAt(`${ORIGIN}/console/`)),
    clientsOf(windowAt(`${ORIGIN}/`, { navigate })),
  ]) {
    await openPlace('/notification', clients, ORIGIN);
    expect(clients.openWindow).toHaveBeenCalledExactlyOnceWith(`${ORIGIN}/#/notification`);
  }
});

test('open pages learn of a new address', async () => {
  const page = windowAt(`${ORIGIN}/`);
  await passOnChange(clientsOf(page));
  expect(page.postMessage).toHaveBeenCalledExactlyOnceWith({ type: 'push' });
});
