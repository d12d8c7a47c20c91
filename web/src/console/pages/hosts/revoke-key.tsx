import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { validKeysOf } from './keys';

const schema = z.object({ kid: z.string().min(1), reason: text(REASON_LIMIT) });

type Props = { host: components['schemas']['Host']; onClose: () => void };

/** Takes a key from a host, which ends the sessions that were opened with it. */
export function RevokeKey({ host, onClose }: Props) {
  const { t } = useTranslation('console');
  const valid = validKeysOf(host);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/host/key/revoke',
        title: t('hosts.revoke_title'),
        submit: t('hosts.revoke_submit'),
        tone: 'danger',
        intro: (
          <div className={stack.gap3}>
            <Facts facts={[{ label: t('hosts.host'), value: host.name }]} />
            <p>{t(valid.length === 1 ? 'hosts.revoke_last' : 'hosts.revoke_intro')}</p>
          </div>
        ),
        schema,
        initial: { kid: valid[0]?.kid ?? '', reason: '' },
        fields: (
          <>
            <ChoiceInput
              name="kid"
              label={t('hosts.kid')}
              options={valid.map(({ kid }) => ({ value: kid, label: kid }))}
            />
            <ReasonInput />
          </>
        ),
        changes: ({ kid }) => [
          { what: kid, before: t('hosts.valid'), after: t('hosts.revoked') },
          { what: t('hosts.valid_keys'), before: valid.length, after: valid.length - 1 },
        ],
        body: (values) => values,
        done: ({ name }) => ({ text: t('hosts.revoked_done', { name }) }),
        touches: [consoleKeys.list('/admin/host/list')],
      }}
    />
  );
}
