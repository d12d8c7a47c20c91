import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { Dialog, DialogActions } from '../ui/dialog';
import { idleWarning, watchIdleness } from './idle';
import { logOut } from './log-out';

/** Logs out after half an hour of idleness, and warns before. */
export function SessionWatch() {
  const { t } = useTranslation('console');
  const endsAt = useStore(idleWarning);
  const watch = useRef<ReturnType<typeof watchIdleness>>(null);
  useEffect(() => {
    const started = watchIdleness(() => void logOut('idle'));
    watch.current = started;
    return started.stop;
  }, []);
  if (endsAt === null) return null;
  const stay = () => watch.current?.stay();
  return (
    <Dialog title={t('session.idle_title')} onClose={stay}>
      <Countdown endsAt={endsAt} />
      <DialogActions>
        <Button tone="quiet" onClick={() => void logOut(null)}>
          {t('session.log_out')}
        </Button>
        <Button autoFocus onClick={stay}>
          {t('session.stay')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Countdown({ endsAt }: { endsAt: number }) {
  const { t } = useTranslation('console');
  const left = () => Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  });
  // Read once with the dialog; every second would drown everything else.
  return (
    <p aria-live="off" className="figure">
      {t('session.idle_text', { count: seconds })}
    </p>
  );
}
