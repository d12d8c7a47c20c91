import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { batchSums } from './batch-sums';
import type { StaffWithdrawal } from './withdrawals';

type Props = { withdrawals: readonly StaffWithdrawal[]; onClose: () => void };

/** Gathers withdrawals for one payment file of the bank. */
export function ProposeBatch({ withdrawals, onClose }: Props) {
  const { t } = useTranslation('console');
  const { amount, fee, payout } = batchSums(withdrawals);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/payment_batch/propose',
        title: t('withdrawals.batch_title'),
        submit: t('withdrawals.propose_batch'),
        intro: <p>{t('withdrawals.batch_intro')}</p>,
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => [
          {
            what: t('withdrawals.batch_count'),
            before: null,
            after: <Count value={withdrawals.length} />,
          },
          { what: t('withdrawals.batch_amount'), before: null, after: <Amount value={amount} /> },
          { what: t('withdrawals.batch_fee'), before: null, after: <Amount value={fee} /> },
          { what: t('withdrawals.batch_payout'), before: null, after: <Amount value={payout} /> },
        ],
        body: ({ reason }) => ({
          withdrawal_ids: withdrawals.map(({ id }) => id),
          ...(reason === '' ? {} : { reason }),
        }),
        done: (batch) => ({
          text: t('withdrawals.batch_done', { count: batch.count }),
          links: [{ label: t('withdrawals.see_batch'), to: `/payments/${batch.id}` }],
        }),
        touches: [consoleKeys.list('/admin/withdraw/list'), consoleKeys.list('/admin/payment_batch/list')],
      }}
    />
  );
}
