import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../../act/act-dialog';
import { ChoiceInput, LongInput } from '../../../act/inputs';
import { text } from '../../../act/values';
import { consoleKeys } from '../../../api/keys';
import type { UserDetail } from '../user';

/** How staff may have made sure that it is the user who asks. */
const CHECKS = ['call_back', 'video', 'in_person', 'documents'] as const;
/** Leaves room in the reason for the check's name. */
const NOTE_LIMIT = 400;

/** Removes a user's transaction password, with a note of how their identity was checked. */
export function ResetPayPasswordDialog({ user, onClose }: { user: UserDetail; onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/pay_password/reset',
        item: { kind: 'user', id: user.id },
        title: t('users.pay_password_title', { name: user.username }),
        submit: t('users.reset_pay_password'),
        tone: 'danger',
        intro: <p>{t('users.pay_password_intro')}</p>,
        schema: z.object({ check: z.enum(CHECKS), note: text(NOTE_LIMIT) }),
        initial: { check: 'call_back', note: '' },
        fields: (
          <>
            <ChoiceInput
              name="check"
              label={t('users.identity_check')}
              options={CHECKS.map((value) => ({ value, label: t(`users.checks.${value}`) }))}
            />
            <LongInput name="note" label={t('users.identity_note')} limit={NOTE_LIMIT} />
          </>
        ),
        changes: () => [
          { what: t('users.pay_password'), before: t('users.yes'), after: t('users.no') },
          { what: t('users.then'), before: null, after: t('users.pay_password_then') },
        ],
        body: ({ check, note }) => ({ user_id: user.id, reason: `${t(`users.checks.${check}`)}: ${note}` }),
        done: () => ({ text: t('users.pay_password_done', { name: user.username }) }),
        touches: [consoleKeys.one('/admin/user/detail', user.id)],
      }}
    />
  );
}
