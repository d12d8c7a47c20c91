import { useTranslation } from 'react-i18next';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { PaymentBatch } from './batch-state';
import { DecideBatch } from './decide-batch';
import { PayBatch } from './pay-batch';

/** What can be done with a batch in its state. */
export function BatchActs({ batch }: { batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  const may = useMay();
  if (batch.state === 'proposed' && may('POST /admin/payment_batch/decide')) {
    return (
      <>
        <ActButton
          quiet
          offered={{
            id: 'dissolved',
            label: t('payments.dissolve'),
            dialog: (close) => <DecideBatch batch={batch} decision="dissolved" onClose={close} />,
          }}
        />
        <ActButton
          offered={{
            id: 'released',
            label: t('payments.release'),
            dialog: (close) => <DecideBatch batch={batch} decision="released" onClose={close} />,
          }}
        />
      </>
    );
  }
  if (batch.state === 'released' && may('POST /admin/payment_batch/pay')) {
    return (
      <ActButton
        offered={{
          id: 'pay',
          label: t('payments.pay'),
          dialog: (close) => <PayBatch batch={batch} onClose={close} />,
        }}
      />
    );
  }
  return null;
}
