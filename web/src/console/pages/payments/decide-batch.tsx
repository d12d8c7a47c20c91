import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { useStaff } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { Facts } from '../../ui/facts';
import { StaffName } from '../../ui/staff-name';
import type { PaymentBatch } from './batch-state';
import { batchTouches } from './batch-touches';

type Props = { batch: PaymentBatch; decision: 'released' | 'dissolved'; onClose: () => void };

/** Releases a batch that somebody else has proposed, or dissolves it. The server says who does not count as another. */
export function DecideBatch({ batch, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const isReleased = decision === 'released';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/payment_batch/decide',
        title: t(isReleased ? 'payments.release_title' : 'payments.dissolve_title'),
        submit: t(isReleased ? 'payments.release' : 'payments.dissolve'),
        ...(isReleased ? {} : { tone: 'danger' as const }),
        intro: (
          <>
            <Facts
              facts={[
                { label: t('payments.proposed_by'), value: <StaffName id={batch.proposed_by} /> },
                { label: t('act.reason'), value: batch.reason ?? t('list.none') },
              ]}
            />
            {isReleased && batch.proposed_by === own.id ? <p>{t('payments.own_batch')}</p> : null}
          </>
        ),
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => [
          {
            what: t('payments.state'),
            before: t('payments.states.proposed'),
            after: t(`payments.states.${decision}`),
          },
          {
            what: t(isReleased ? 'payments.may_pay' : 'payments.wait_again'),
            before: null,
            after: <Count value={batch.count} />,
          },
          { what: t('payments.payout'), before: null, after: <Amount value={batch.payout} /> },
        ],
        body: ({ reason }) => ({ id: batch.id, decision, ...(reason === '' ? {} : { reason }) }),
        done: () => ({ text: t(isReleased ? 'payments.release_done' : 'payments.dissolve_done') }),
        touches: batchTouches(),
      }}
    />
  );
}
