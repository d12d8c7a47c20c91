import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import type { PaymentBatch } from './batch-state';
import { batchTouches } from './batch-touches';

type Props = { batch: PaymentBatch; onClose: () => void };

/** Posts what is in a batch as paid. A repeat goes on where an earlier call stopped. */
export function PayBatch({ batch, onClose }: Props) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/payment_batch/pay',
        title: t('payments.pay_title'),
        submit: t('payments.pay'),
        intro: <p>{t('payments.pay_intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('payments.state'),
            before: t('payments.states.released'),
            after: t('payments.states.paid'),
          },
          {
            what: t('payments.posted_as_paid'),
            before: null,
            after: <Count value={batch.count - batch.paid_count} />,
          },
          { what: t('payments.payout'), before: null, after: <Amount value={batch.payout} /> },
        ],
        body: ({ reason }) => ({ id: batch.id, reason }),
        done: ({ paid_count: count }) => ({ text: t('payments.pay_done', { count }) }),
        touches: batchTouches(),
      }}
    />
  );
}
