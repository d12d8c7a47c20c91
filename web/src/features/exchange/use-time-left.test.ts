import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useTimeLeft } from './use-time-left';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function setVisibility(state: DocumentVisibilityState) {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
}

test('the clock ticks, stands still while the page is hidden, catches up and ends', () => {
  vi.useFakeTimers();
  const until = new Date(Date.now() + 10_000).toISOString();
  const { result } = renderHook(() => useTimeLeft(until));
  act(() => void vi.advanceTimersByTime(2000));
  expect(result.current).toBe(8000);
  setVisibility('hidden');
  expect(vi.getTimerCount()).toBe(0);
  act(() => void vi.advanceTimersByTime(3000));
  expect(result.current).toBe(8000);
  setVisibility('visible');
  expect(result.current).toBe(5000);
  act(() => void vi.advanceTimersByTime(6000));
  expect(result.current).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
