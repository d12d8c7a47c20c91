import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { CopyableCode } from '@/ui/copyable-code';
import { type SourceKey, shortKid } from './source-values';

/** The keys of a source, those that are revoked included. */
export function KeyList({ keys }: { keys: readonly SourceKey[] }) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  if (keys.length === 0) return t('delivery.no_keys');
  return (
    <ul>
      {keys.map((key) => (
        <li key={key.kid}>
          <CopyableCode text={key.kid} shown={shortKid(key.kid)} label={t('list.copy', { what: key.kid })} />{' '}
          {key.revoked_at === null
            ? t('delivery.added_at', { time: moment(key.added_at) })
            : t('delivery.revoked_at', { time: moment(key.revoked_at) })}
        </li>
      ))}
    </ul>
  );
}
