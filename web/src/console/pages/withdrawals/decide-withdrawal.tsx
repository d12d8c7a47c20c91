import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { subtract } from '@/lib/money';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import { Destination } from '../../ui/destination';
import { Facts } from '../../ui/facts';
import type { StaffWithdrawal } from './withdrawals';

type Props = { withdrawal: StaffWithdrawal; decision: 'paid' | 'rejected'; onClose: () => void };

/** Marks a withdrawal as paid once the money has left the bank, or gives it back to the user's wallet. */
export function DecideWithdrawal({ withdrawal, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const { id, user, amount, fee, destination } = withdrawal;
  const isPaid = decision === 'paid';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/withdraw/decide',
        item: { kind: 'withdrawal', id },
        title: t(isPaid ? 'withdrawals.paid_title' : 'withdrawals.reject_title'),
        submit: t(isPaid ? 'withdrawals.mark_paid' : 'withdrawals.reject'),
        ...(isPaid ? {} : { tone: 'danger' as const }),
        intro: (
          <Facts
            facts={[
              { label: t('withdrawals.user'), value: user.username ?? user.id },
              { label: t('withdrawals.to_pay'), value: <Amount value={subtract(amount, fee)} /> },
              { label: t('withdrawals.destination'), value: <Destination destination={destination} /> },
            ]}
          />
        ),
        schema: z.object({ reason: isPaid ? optionalText(REASON_LIMIT) : text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional={isPaid} />,
        changes: () => [
          {
            what: t('withdrawals.status'),
            before: t('withdrawals.states.pending'),
            after: t(`withdrawals.states.${decision}`),
          },
          {
            what: t(isPaid ? 'withdrawals.leaves' : 'withdrawals.returns'),
            before: null,
            after: <Amount value={amount} />,
          },
        ],
        body: ({ reason }) => ({ id, decision, ...(reason === '' ? {} : { reason }) }),
        done: () => ({
          text: t(isPaid ? 'withdrawals.paid_done' : 'withdrawals.reject_done', {
            name: user.username ?? user.id,
          }),
          links: [{ label: t('withdrawals.see_user'), to: `/users/${user.id}` }],
        }),
        touches: [consoleKeys.list('/admin/withdraw/list'), consoleKeys.one('/admin/user/detail', user.id)],
      }}
    />
  );
}
