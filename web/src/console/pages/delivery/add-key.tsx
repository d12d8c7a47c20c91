import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { LongInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { isValid, type Source } from './source-values';

/** An Ed25519 key in PEM has some 120 characters. */
const LONGEST_KEY = 1000;

/** Adds a key with which a source signs its files. */
export function AddKey({ source, onClose }: { source: Source; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = source.source;
  const valid = source.keys.filter(isValid).length;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/source/key/add',
        title: t('delivery.add_key_title', { source: name }),
        submit: t('delivery.add_key'),
        intro: <p>{t('delivery.add_key_text')}</p>,
        schema: z.object({ public_key: text(LONGEST_KEY) }),
        initial: { public_key: '' },
        fields: <LongInput name="public_key" label={t('delivery.public_key')} limit={LONGEST_KEY} />,
        changes: () => [
          { what: t('delivery.valid_keys'), before: valid, after: valid + 1 },
          {
            what: t('delivery.files'),
            before: t(valid > 0 ? 'delivery.must_sign' : 'delivery.need_not_sign'),
            after: t('delivery.must_sign'),
          },
        ],
        body: (values) => ({ source: name, public_key: `${values.public_key}\n` }),
        done: () => ({ text: t('delivery.add_key_done', { source: name }) }),
        touches: [consoleKeys.list('/admin/source/list')],
      }}
    />
  );
}
