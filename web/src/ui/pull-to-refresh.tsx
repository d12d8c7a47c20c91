import { RotateCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from '@/lib/use-store';
import { cx } from './cx';
import { pageHeaderStore } from './page-header';
import styles from './pull-to-refresh.module.css';

/** The pull distance that triggers a refresh, and the maximum. */
const TRIGGER_PX = 72;
const LIMIT_PX = 110;

/** Pull to refresh, for pages that have a refresh action. */
export default function PullToRefresh() {
  const onRefresh = useStore(pageHeaderStore, (page) => page.onRefresh);
  const [pull, setPull] = useState(0);
  const [running, setRunning] = useState(false);
  const distance = useRef(0);

  useEffect(() => {
    if (!onRefresh) return;
    let startY: number | null = null;
    const move = (value: number) => {
      distance.current = value;
      setPull(value);
    };
    const onStart = (event: TouchEvent) => {
      const touch = event.touches[0];
      const inDialog = document.querySelector('dialog[open]') !== null;
      startY = touch && event.touches.length === 1 && window.scrollY <= 0 && !inDialog ? touch.clientY : null;
    };
    const onMove = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (startY === null || !touch) return;
      move(Math.min(LIMIT_PX, Math.max(0, (touch.clientY - startY) * 0.6)));
    };
    const onEnd = () => {
      const far = startY !== null && distance.current >= TRIGGER_PX;
      startY = null;
      move(0);
      if (!far) return;
      setRunning(true);
      onRefresh().finally(() => setRunning(false));
    };
    window.addEventListener('touchstart', onStart, { passive: true });
    window.addEventListener('touchmove', onMove, { passive: true });
    window.addEventListener('touchend', onEnd);
    window.addEventListener('touchcancel', onEnd);
    return () => {
      window.removeEventListener('touchstart', onStart);
      window.removeEventListener('touchmove', onMove);
      window.removeEventListener('touchend', onEnd);
      window.removeEventListener('touchcancel', onEnd);
    };
  }, [onRefresh]);

  const height = running ? 48 : pull;
  if (height === 0) return null;
  return (
    <div className={styles.zone} style={{ blockSize: `${height}px` }} aria-hidden="true">
      <div className={cx(styles.wheel, running && styles.turning)} style={{ rotate: `${pull * 3}deg` }}>
        <RotateCw size={22} />
      </div>
    </div>
  );
}
