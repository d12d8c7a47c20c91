import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useStaff } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { UserLink } from '../../ui/user-link';
import type { Approval } from './approvals';

type Props = { approval: Approval; decision: 'approved' | 'rejected'; onClose: () => void };

/** Posts what somebody else has asked for, or refuses it. The server says why somebody does not count as second pair. */
export function DecideApproval({ approval, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const isApproved = decision === 'approved';
  const what = t(`approvals.actions.${approval.action}`);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/approval/decide',
        item: { kind: 'approval', id: approval.id },
        title: t(isApproved ? 'approvals.approve_title' : 'approvals.reject_title'),
        submit: t(isApproved ? 'approvals.approve' : 'approvals.reject'),
        ...(isApproved ? {} : { tone: 'danger' as const }),
        intro: (
          <>
            <Facts
              facts={[
                { label: t('approvals.action'), value: what },
                { label: t('approvals.user'), value: <UserLink id={approval.user_id} name={null} /> },
                { label: t('approvals.amount'), value: <Amount value={approval.amount} /> },
                { label: t('approvals.requested_by'), value: <StaffName id={approval.requested_by} /> },
                { label: t('approvals.requested_at'), value: <Moment at={approval.requested_at} /> },
                {
                  label: t('approvals.request_reason'),
                  value: approval.request_reason ?? t('list.none'),
                },
                { label: t('approvals.remark'), value: approval.remark ?? t('list.none') },
              ]}
            />
            {isApproved && approval.requested_by === own.id ? <p>{t('approvals.own_request')}</p> : null}
          </>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('approvals.state'),
            before: t('approvals.states.pending'),
            after: t(`approvals.states.${decision}`),
          },
          {
            what,
            before: null,
            after: isApproved ? <Amount value={approval.amount} /> : t('approvals.not_posted'),
          },
        ],
        body: ({ reason }) => ({ id: approval.id, decision, reason }),
        done: () => ({
          text: t(isApproved ? 'approvals.approve_done' : 'approvals.reject_done', { what }),
          links: [{ label: t('approvals.see_user'), to: `/users/${approval.user_id}` }],
        }),
        touches: [
          consoleKeys.one('/admin/user/detail', approval.user_id),
          consoleKeys.list('/admin/withdraw/list'),
        ],
      }}
    />
  );
}
