import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { validKeysOf } from './keys';
import { PEM_LIMIT, PublicKeyInput } from './public-key-input';

type Host = components['schemas']['Host'];

const schema = z.object({ public_key: text(PEM_LIMIT), reason: optionalText(REASON_LIMIT) });

export function AddKey({ host, onClose }: { host: Host; onClose: () => void }) {
  const { t } = useTranslation('console');
  const valid = validKeysOf(host).length;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/host/key/add',
        title: t('hosts.add_key_title'),
        submit: t('hosts.add_key_submit'),
        intro: <Facts facts={[{ label: t('hosts.host'), value: host.name }]} />,
        schema,
        initial: { public_key: '', reason: '' },
        fields: (
          <>
            <PublicKeyInput />
            <ReasonInput optional />
          </>
        ),
        changes: () => [{ what: t('hosts.valid_keys'), before: valid, after: valid + 1 }],
        body: ({ reason, ...key }) => ({
          ...key,
          host_id: host.id,
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ name, keys }) => {
          const kids = newKidsOf(host, keys);
          if (kids.length === 0) return { text: t('hosts.key_known', { name }) };
          return {
            text: t('hosts.key_added', { name }),
            result: kids.map((kid) => <CopyableCode key={kid} text={kid} label={t('hosts.copy_kid')} />),
          };
        },
        touches: [consoleKeys.list('/admin/host/list')],
      }}
    />
  );
}

function newKidsOf(before: Host, after: Host['keys']): string[] {
  const known = new Set(before.keys.map(({ kid }) => kid));
  return after.map(({ kid }) => kid).filter((kid) => !known.has(kid));
}
