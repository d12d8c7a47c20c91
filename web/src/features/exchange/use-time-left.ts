import { useEffect, useState } from 'react';

const TICK_MS = 1000;

/** Milliseconds until a time, updated every second; 0 afterwards. Pauses while the page is hidden. */
export function useTimeLeft(until: string): number {
  const [now, setNow] = useState(Date.now);
  const left = Math.max(0, Date.parse(until) - now);
  const isOver = left === 0;

  useEffect(() => {
    if (isOver) return;
    let timer: ReturnType<typeof setInterval> | undefined;
    const tick = () => setNow(Date.now());
    const follow = () => {
      clearInterval(timer);
      if (document.visibilityState !== 'visible') return;
      tick();
      timer = setInterval(tick, TICK_MS);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [isOver]);
  return left;
}
