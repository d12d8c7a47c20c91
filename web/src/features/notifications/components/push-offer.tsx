import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dismissOffer, isOfferDismissed } from '@/domain/push/device';
import { usePush } from '@/domain/push/use-push';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import styles from './push-offer.module.css';

type Offer = {
  /** Not known yet. */
  isPending: boolean;
  isOpen: boolean;
  isAccepting: boolean;
  accept: () => void;
  dismiss: () => void;
};

/** The offer of messages on this device, until the user takes it or wants to hear no more of it. */
export function usePushOffer(): Offer {
  const [isDismissed, setIsDismissed] = useState(isOfferDismissed);
  const { state, isChanging, turn } = usePush({ isWanted: !isDismissed });
  return {
    isPending: state === undefined,
    isOpen: state === 'off' && !isDismissed,
    isAccepting: isChanging,
    accept: () => turn(true),
    dismiss: () => {
      dismissOffer();
      setIsDismissed(true);
    },
  };
}

/** The browser's question comes with the user's tap, never before. */
export function PushOffer({ offer }: { offer: Offer }) {
  const { t } = useTranslation();
  return (
    <Card className={styles.offer} title={t('push.offer')}>
      <p className={styles.text}>
        <BellRing className={styles.icon} size={20} aria-hidden="true" />
        {t('push.offer_text')}
      </p>
      <div className={styles.choices}>
        <Button tone="secondary" disabled={offer.isAccepting} onClick={offer.dismiss}>
          {t('push.dismiss')}
        </Button>
        <Button busy={offer.isAccepting} onClick={offer.accept}>
          {t('push.turn_on')}
        </Button>
      </div>
    </Card>
  );
}
