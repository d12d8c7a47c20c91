import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { roots } from '@/domain/keys';
import { propertyQuery } from '@/domain/property';
import { useService } from '@/domain/service/service-store';
import { useFormats } from '@/i18n/format';
import { post } from '@/lib/api/call';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { Sheet } from '@/ui/sheet';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { toast } from '@/ui/toast';
import { useOverlay } from '@/ui/use-overlay';
import styles from './payout-stop.module.css';

/** Stops whatever leaves the wallet, and lets it go on again together with customer service. */
export function PayoutStop() {
  const query = useQuery(propertyQuery);
  if (query.isPending) return <SkeletonCards count={1} height="8rem" />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { frozen_at } = query.data;
  return <Card className={styles.card}>{frozen_at ? <Stopped since={frozen_at} /> : <Running />}</Card>;
}

function Running() {
  const { t } = useTranslation();
  const { isOpen, open, close } = useOverlay('stop-payouts');
  const stop = useChange(() => post('/user/freeze', {}), 'security.stop.done', close);
  return (
    <>
      <p className={styles.muted}>{t('security.stop.text')}</p>
      <Button tone="danger" wide onClick={open}>
        {t('security.stop.action')}
      </Button>
      <Sheet
        kind="dialog"
        isOpen={isOpen}
        onClose={close}
        title={t('security.stop.confirm_title')}
        stacked
        footer={
          <>
            <Button tone="danger" busy={stop.isPending} onClick={() => stop.mutate()}>
              {t('security.stop.action')}
            </Button>
            <Button tone="secondary" onClick={close}>
              {t('common.cancel')}
            </Button>
          </>
        }
      >
        <p>{t('security.stop.confirm_text')}</p>
      </Sheet>
    </>
  );
}

function Stopped({ since }: { since: string }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const service = useService();
  const agree = useChange(() => post('/user/unfreeze', {}), 'security.stop.agreed');
  return (
    <>
      <p>{t('security.stop.since', { time: dateTime(since) })}</p>
      <p className={styles.muted}>{t('security.stop.since_text')}</p>
      <Button
        wide
        onClick={() =>
          service.open({ subject: t('security.stop.title'), subtitle: t('security.stop.service') })
        }
      >
        {t('error.contact_service')}
      </Button>
      <Button tone="secondary" wide busy={agree.isPending} onClick={() => agree.mutate()}>
        {t('security.stop.agree')}
      </Button>
    </>
  );
}

function useChange(
  change: () => Promise<unknown>,
  done: 'security.stop.done' | 'security.stop.agreed',
  onSettled?: () => void,
) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => toast(t(done)),
    onSettled: () => {
      onSettled?.();
      void queryClient.invalidateQueries({ queryKey: roots.security });
      return queryClient.invalidateQueries({ queryKey: roots.wallet });
    },
  });
}
