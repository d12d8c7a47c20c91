import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { isValid, type Source, type SourceKey } from './source-values';

type Props = { source: Source; signer: SourceKey; onClose: () => void };

/** Revokes a key: what it signed can no longer be released. */
export function RevokeKey({ source, signer, onClose }: Props) {
  const { t } = useTranslation('console');
  const { kid } = signer;
  const valid = source.keys.filter(isValid).length;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/source/key/revoke',
        title: t('delivery.revoke_title', { source: source.source }),
        submit: t('delivery.revoke'),
        tone: 'danger',
        intro: <p>{t('delivery.revoke_text')}</p>,
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => [
          {
            what: t('delivery.key'),
            before: <span className="mono">{kid}</span>,
            after: t('delivery.revoked'),
          },
          { what: t('delivery.valid_keys'), before: valid, after: valid - 1 },
          {
            what: t('delivery.files'),
            before: t('delivery.must_sign'),
            after: t(valid > 1 ? 'delivery.must_sign' : 'delivery.need_not_sign'),
          },
        ],
        body: ({ reason }) => ({ kid, ...(reason === '' ? {} : { reason }) }),
        done: () => ({ text: t('delivery.revoke_done', { source: source.source }) }),
        touches: [consoleKeys.list('/admin/source/list'), consoleKeys.list('/admin/delivery/imports')],
      }}
    />
  );
}
