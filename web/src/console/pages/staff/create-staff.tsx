import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, REASON_LIMIT, ReasonInput, TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useStaff } from '../../session/use-staff';
import { ROLES } from './staff-parts';

const NAME_LIMIT = 64;
const PASSWORD_LIMIT = 128;
/** Without characters that look alike, since passwords are read out and typed. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

export function CreateStaff({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  const maker = useStaff().username;
  const [proposed] = useState(newPassword);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/staff/create',
        title: t('staff.create.title'),
        submit: t('staff.create.submit'),
        intro: <p>{t('staff.create.intro')}</p>,
        schema: z.object({
          username: text(NAME_LIMIT),
          role: z.enum(ROLES),
          password: text(PASSWORD_LIMIT),
          reason: optionalText(REASON_LIMIT),
        }),
        initial: { username: '', role: 'support' as const, password: proposed, reason: '' },
        fields: (
          <>
            <TextInput name="username" label={t('staff.username')} limit={NAME_LIMIT} />
            <ChoiceInput
              name="role"
              label={t('staff.role')}
              options={ROLES.map((role) => ({
                value: role,
                label: `${t(`staff.roles.${role}`)}: ${t(`staff.duties.${role}`)}`,
              }))}
            />
            <TextInput
              name="password"
              label={t('staff.create.password')}
              hint={t('staff.create.password_hint')}
              limit={PASSWORD_LIMIT}
            />
            <ReasonInput optional />
          </>
        ),
        changes: ({ username, role }) => [
          { what: t('staff.create.account'), before: null, after: username },
          { what: t('staff.role'), before: null, after: t(`staff.roles.${role}`) },
          { what: t('staff.made_by'), before: null, after: maker },
        ],
        body: ({ username, role, password, reason }) => ({
          username,
          role,
          password,
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ username }, { password }) => ({
          text: t('staff.create.done', { name: username }),
          result: <CopyableCode text={password} label={t('staff.create.copy', { name: username })} />,
        }),
        touches: [consoleKeys.list('/admin/staff/list')],
      }}
    />
  );
}

/** 20 characters of 5 random bits each, in groups. */
function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.replace(/(.{5})(?=.)/g, '$1-');
}
