import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { OwnSession } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Badge, Card } from '@/ui/card';
import { Sheet } from '@/ui/sheet';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { toast } from '@/ui/toast';
import { useOverlay } from '@/ui/use-overlay';
import { sessionsQuery, useEndSessions } from '../api/queries';
import { deviceNames, isPhone } from '../device';
import styles from './session-list.module.css';

/** The user's sessions, this device first, with buttons to end them. */
export function SessionList() {
  const { t } = useTranslation();
  const query = useQuery(sessionsQuery);
  if (query.isPending) return <SkeletonCards count={2} height="6rem" />;
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const sessions = query.data?.items ?? [];
  const ordered = [
    ...sessions.filter(({ current }) => current),
    ...sessions.filter(({ current }) => !current),
  ];
  return (
    <>
      <p className={styles.lead}>{t('security.devices_text')}</p>
      {sessions.some(({ current }) => !current) ? <EndOthers /> : null}
      <Card className={styles.list}>
        <ul>
          {ordered.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Card>
    </>
  );
}

function SessionRow({ session }: { session: OwnSession }) {
  const { t } = useTranslation();
  const { list, moment } = useFormats();
  const { end, isPending } = useEndSessions({ onEnded: () => toast(t('security.ended')) });
  const { id, current, created_at, last_used_at, user_agent, address } = session;
  const device = list(deviceNames(user_agent)) || t('security.unknown_device');
  const Icon = isPhone(user_agent) ? Smartphone : Monitor;
  return (
    <li className={styles.session}>
      <Icon size={22} aria-hidden="true" />
      <div className={styles.facts}>
        <p className={styles.device}>
          <bdi>{device}</bdi>
          {current ? <Badge tone="positive">{t('security.current')}</Badge> : null}
        </p>
        <p className={styles.meta}>{t('security.last_used', { time: moment(last_used_at) })}</p>
        <p className={styles.meta}>{t('security.opened', { time: moment(created_at) })}</p>
        {address ? <p className={styles.meta}>{address}</p> : null}
      </div>
      {current ? null : (
        <Button
          tone="danger"
          className={styles.end}
          aria-label={t('security.end_named', { device })}
          busy={isPending}
          onClick={() => end({ id })}
        >
          {t('security.end')}
        </Button>
      )}
    </li>
  );
}

function EndOthers() {
  const { t } = useTranslation();
  const { isOpen, open, close } = useOverlay('end-sessions');
  const { end, isPending } = useEndSessions({
    onEnded: () => toast(t('security.others_ended')),
    onSettled: close,
  });
  return (
    <>
      <Button tone="danger" wide onClick={open}>
        {t('security.end_others')}
      </Button>
      <Sheet
        kind="dialog"
        isOpen={isOpen}
        onClose={close}
        title={t('security.end_others_title')}
        stacked
        footer={
          <>
            <Button tone="danger" busy={isPending} onClick={() => end({ others: true })}>
              {t('security.end_others')}
            </Button>
            <Button tone="secondary" onClick={close}>
              {t('common.cancel')}
            </Button>
          </>
        }
      >
        <p>{t('security.end_others_text')}</p>
      </Sheet>
    </>
  );
}
