import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { subtract } from '@/lib/money';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { useStaff } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Destination } from '../../ui/destination';
import { Facts } from '../../ui/facts';
import { StaffName } from '../../ui/staff-name';
import { UserLink } from '../../ui/user-link';
import type { PaymentBatch } from './batch-state';
import { batchTouches } from './batch-touches';
import type { StaffWithdrawal } from './payment-batch';

type Props = { withdrawal: StaffWithdrawal; batch: PaymentBatch; onClose: () => void };

/** Takes a withdrawal that the bank did not pay out of its batch. Of a released batch it takes two people. */
export function TakeOut({ withdrawal, batch, onClose }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const { id, user, amount, fee, destination, take_out_asked_by: askedBy } = withdrawal;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/payment_batch/take_out',
        secondPerson: 'same_act',
        title: t(askedBy ? 'payments.take_out_confirm_title' : 'payments.take_out_title'),
        submit: t(askedBy ? 'payments.take_out_confirm' : 'payments.take_out'),
        tone: 'danger',
        intro: (
          <>
            <Facts
              facts={[
                { label: t('withdrawals.user'), value: <UserLink id={user.id} name={user.username} /> },
                { label: t('withdrawals.to_pay'), value: <Amount value={subtract(amount, fee)} /> },
                { label: t('withdrawals.destination'), value: <Destination destination={destination} /> },
                ...(askedBy
                  ? [{ label: t('payments.take_out_asked_by'), value: <StaffName id={askedBy} /> }]
                  : []),
              ]}
            />
            <p>
              {t(batch.state === 'released' ? 'payments.take_out_released' : 'payments.take_out_proposed')}
            </p>
            {askedBy === own.id ? <p>{t('payments.own_take_out')}</p> : null}
          </>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('payments.place'),
            before: t('payments.place_in'),
            after: t('payments.place_out'),
          },
          {
            what: t('payments.payout'),
            before: <Amount value={batch.payout} />,
            after: <Amount value={subtract(batch.payout, subtract(amount, fee))} />,
          },
        ],
        body: ({ reason }) => ({ id, reason }),
        done: () => ({
          text: t('payments.take_out_done', { name: user.username ?? user.id }),
          links: [{ label: t('payments.see_withdrawals'), to: `/withdrawals?user_id=${user.id}` }],
        }),
        touches: batchTouches(),
      }}
    />
  );
}
