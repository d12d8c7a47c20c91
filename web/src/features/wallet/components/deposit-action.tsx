import { useTranslation } from 'react-i18next';
import { Deposit } from '@/domain/deposit/deposit';
import { Button } from '@/ui/button';
import { useOverlay } from '@/ui/use-overlay';

/** The way to a balance that can be withdrawn. */
export function DepositAction() {
  const { t } = useTranslation();
  const deposit = useOverlay('deposit');
  return (
    <>
      <Button tone="secondary" onClick={deposit.open}>
        {t('withdraw.step.balance.action')}
      </Button>
      <Deposit isOpen={deposit.isOpen} onClose={deposit.close} />
    </>
  );
}
