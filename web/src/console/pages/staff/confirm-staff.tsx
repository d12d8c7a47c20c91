import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useStaff } from '../../session/use-staff';
import { type ListedStaff, useStaffNames } from './staff-parts';

type Props = { member: ListedStaff; onClose: () => void };

/** Confirms that somebody else than the maker holds the account. The server knows who may: kin may not. */
export function ConfirmStaff({ member, onClose }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff().username;
  const nameOf = useStaffNames();
  const name = member.username;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/confirm',
        title: t('staff.confirm.title', { name }),
        submit: t('staff.confirm.submit'),
        intro: <p>{t('staff.confirm.intro', { name, maker: nameOf(member.made_by ?? '') })}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [{ what: t('staff.confirm.what'), before: t('staff.unconfirmed'), after: own }],
        body: ({ reason }) => ({ staff_id: member.id, reason }),
        done: () => ({
          text: t('staff.confirm.done', { name }),
          links: [{ label: t('act.see_audit'), to: '/audit?action=auth.confirm_staff' }],
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}
