import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { ActDialog } from '../../act/act-dialog';
import { consoleKeys } from '../../api/keys';

type Props = { passkey: components['schemas']['Passkey']; count: number; onClose: () => void };

/** Removes a passkey of the member whose session this is. */
export function RemovePasskey({ passkey: { passkey_id, name }, count, onClose }: Props) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/passkey/remove',
        title: t('own_security.passkeys.remove_title', { name }),
        submit: t('own_security.passkeys.remove'),
        tone: 'danger',
        intro: <p>{t('own_security.passkeys.remove_intro')}</p>,
        schema: z.object({}),
        initial: {},
        fields: null,
        changes: () => [{ what: t('own_security.passkeys.remove_what'), before: count, after: count - 1 }],
        body: () => ({ passkey_id }),
        done: () => ({
          text: t('own_security.passkeys.remove_done', { name }),
        }),
        touches: [consoleKeys.list('/admin/passkeys')],
      }}
    />
  );
}
