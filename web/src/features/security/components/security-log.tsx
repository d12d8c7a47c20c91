import { useInfiniteQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { SecurityEntry } from '@/lib/api/types';
import { Badge, Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { QueryList } from '@/ui/query-list';
import { EmptyState } from '@/ui/states';
import { textOfEntry } from '../activity';
import { securityLogQuery } from '../api/queries';
import styles from './security-log.module.css';

/** Actions by staff and security-relevant actions of the user's own sessions. */
export function SecurityLog() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(securityLogQuery);
  return (
    <QueryList
      query={query}
      empty={
        <EmptyState
          icon={<ShieldCheck size={28} />}
          title={t('security.empty')}
          text={t('security.empty_text')}
        />
      }
    >
      {(entries) => (
        <>
          <p className={styles.lead}>{t('security.log_text')}</p>
          <Card className={styles.log}>
            <ul>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ul>
          </Card>
        </>
      )}
    </QueryList>
  );
}

function Entry({ entry }: { entry: SecurityEntry }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const { action, amount, by, reason, time } = entry;
  return (
    <li className={styles.entry}>
      <p className={styles.what}>{t(textOfEntry(action, by))}</p>
      <p className={styles.amount}>{amount === null ? null : <Money value={amount} />}</p>
      {reason ? <p className={styles.reason}>{reason}</p> : null}
      <p className={styles.meta}>
        <Badge tone={by === 'staff' ? 'info' : 'neutral'}>{t(`security.by.${by}`)}</Badge>
        <time dateTime={time}>{moment(time)}</time>
      </p>
    </li>
  );
}
