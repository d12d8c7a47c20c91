import { afterEach, expect, test, vi } from 'vitest';
import { blockZoom, isMobile } from './zoom';

const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1';

test.each([
  [768, true, DESKTOP, true],
  [769, true, DESKTOP, false],
  [768, false, DESKTOP, false],
  [1440, false, PHONE, true],
])('%s px, touch: %s, %s', (width, hasTouch, userAgent, expected) => {
  expect(isMobile({ width, hasTouch, userAgent })).toBe(expected);
});

const listeners: [string, EventListener][] = [];

/** Zooms in each way and gives those that were prevented. */
function preventedOn(userAgent: string): string[] {
  const add = document.addEventListener.bind(document);
  vi.spyOn(document, 'addEventListener').mockImplementation((type: string, listener: unknown) => {
    listeners.push([type, listener as EventListener]);
    add(type, listener as EventListener);
  });
  blockZoom({ width: 1440, hasTouch: false, userAgent });
  const wheel = (ctrlKey: boolean) => {
    const event = new Event('wheel', { cancelable: true });
    return Object.assign(event, { ctrlKey });
  };
  const ways: [string, Event][] = [
    ['scroll', wheel(false)],
    ['wheel', wheel(true)],
    ['start', new Event('gesturestart', { cancelable: true })],
    ['change', new Event('gesturechange', { cancelable: true })],
  ];
  return ways.filter(([, event]) => !document.dispatchEvent(event)).map(([name]) => name);
}

afterEach(() => {
  for (const [type, listener] of listeners.splice(0)) document.removeEventListener(type, listener);
});

test('a mobile device zooms neither by wheel nor by gesture, and scrolls', () => {
  expect(preventedOn(PHONE)).toEqual(['wheel', 'start', 'change']);
});

test('a desktop keeps its zoom', () => {
  expect(preventedOn(DESKTOP)).toEqual([]);
});
