import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Badge } from '../../ui/badge';
import styles from './keys.module.css';

type HostKey = components['schemas']['HostKey'];

/** The keys of a host by id, with what became of each. */
export function Keys({ keys }: { keys: readonly HostKey[] }) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  return (
    <ul className={styles.keys}>
      {keys.map(({ kid, added_at, revoked_at }) => (
        <li key={kid} className={styles.key}>
          <span className="mono">{kid}</span>
          <Badge tone={revoked_at ? 'neutral' : 'good'}>
            {t(revoked_at ? 'hosts.revoked' : 'hosts.valid')}
          </Badge>
          <span className={styles.note}>
            {revoked_at
              ? t('hosts.revoked_at', { time: moment(revoked_at) })
              : t('hosts.added_at', { time: moment(added_at) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function validKeysOf({ keys }: { keys: readonly HostKey[] }): HostKey[] {
  return keys.filter(({ revoked_at }) => revoked_at === null);
}
