import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import type { Property } from '@/lib/api/types';
import { BigAmount } from '@/ui/big-amount';
import { Button, LinkButton } from '@/ui/button';
import { Money } from '@/ui/money';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import styles from './start-up-sheet.module.css';

type Props = { property: Property; isOpen: boolean; onClose: () => void };

/** Explains start-up funds, the amount to return, and whom to contact. */
export function StartUpSheet({ property, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const service = useService();
  return (
    <Sheet
      isOpen={isOpen}
      onClose={onClose}
      title={t('wallet.start_up_title')}
      footer={
        <>
          <Button wide large onClick={() => service.open({ subtitle: t('withdraw.service_start_up') })}>
            {t('wallet.start_up_service')}
          </Button>
          <LinkButton wide tone="quiet" to="/wallet/fund-details?type=start_up_funds" replace>
            {t('wallet.start_up_movements')}
          </LinkButton>
        </>
      }
    >
      <div className={stack.gap4}>
        <BigAmount label={t('wallet.start_up_outstanding')}>
          <Money value={property.start_up_funds_outstanding} currency={property.currency} />
        </BigAmount>
        <p className={styles.lead}>{t('wallet.start_up_text')}</p>
      </div>
    </Sheet>
  );
}
