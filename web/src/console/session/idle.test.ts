import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IDLE_MS, idleWarning, WARNING_MS, watchIdleness } from './idle';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const act = () => window.dispatchEvent(new Event('keydown'));

test('warns two minutes before the end, and ends after half an hour', () => {
  const onIdle = vi.fn();
  const { stop } = watchIdleness(onIdle);
  vi.advanceTimersByTime(IDLE_MS - WARNING_MS - 1_000);
  expect(idleWarning.get()).toBeNull();
  vi.advanceTimersByTime(2_000);
  expect(idleWarning.get()).not.toBeNull();
  expect(onIdle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(WARNING_MS);
  expect(onIdle).toHaveBeenCalled();
  stop();
});

test('activity starts the time anew, but only before the warning', () => {
  const onIdle = vi.fn();
  const { stop, stay } = watchIdleness(onIdle);
  vi.advanceTimersByTime(IDLE_MS - WARNING_MS - 10_000);
  act();
  vi.advanceTimersByTime(60_000);
  expect(idleWarning.get()).toBeNull();
  vi.advanceTimersByTime(IDLE_MS - WARNING_MS - 30_000);
  expect(idleWarning.get()).not.toBeNull();
  act();
  expect(idleWarning.get()).not.toBeNull();
  stay();
  expect(idleWarning.get()).toBeNull();
  vi.advanceTimersByTime(IDLE_MS - WARNING_MS - 1_000);
  expect(onIdle).not.toHaveBeenCalled();
  stop();
});

test('a computer that slept past the end is logged out when it wakes', () => {
  const onIdle = vi.fn();
  const { stop } = watchIdleness(onIdle);
  vi.setSystemTime(Date.now() + 2 * IDLE_MS);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(onIdle).toHaveBeenCalledOnce();
  stop();
});

test('nothing is watched once it has stopped', () => {
  const onIdle = vi.fn();
  watchIdleness(onIdle).stop();
  vi.advanceTimersByTime(2 * IDLE_MS);
  expect(onIdle).not.toHaveBeenCalled();
  expect(idleWarning.get()).toBeNull();
});
