import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import { cx } from '@/ui/cx';
import { DECIDED_AT, type Waiting } from './kinds';
import { Since } from './since';
import styles from './waiting-card.module.css';

type Props = {
  waiting: Waiting;
  /** When the server was asked. */
  at: string;
};

/** What waits of one kind, and the way to where it is decided. */
export function WaitingCard({ waiting, at }: Props) {
  const { t } = useTranslation('console');
  const to = DECIDED_AT[waiting.kind];
  const contents = (
    <>
      <span>{t(`today.kinds.${waiting.kind}`)}</span>
      <Figure waiting={waiting} />
      <span className={styles.note}>
        <Note waiting={waiting} at={at} />
      </span>
    </>
  );
  return to === null ? (
    <div className={styles.card}>{contents}</div>
  ) : (
    <Link className={cx(styles.card, styles.link)} to={to}>
      {contents}
    </Link>
  );
}

function Figure({ waiting: { state, count, more } }: { waiting: Waiting }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  if (count === null) return <span className={styles.unknown}>{t('today.unavailable')}</span>;
  const formatted = integer(count);
  // Where not everything was counted, nothing found is no zero.
  if (state === 'unavailable' && count === 0)
    return <span className={styles.unknown}>{t('today.unavailable')}</span>;
  if (state === 'unavailable' || more)
    return (
      <span className={cx('figure', styles.bound)}>
        {t(state === 'unavailable' ? 'today.at_least' : 'today.more_than', { formatted })}
      </span>
    );
  return <span className={cx('figure', styles.count, count === 0 && styles.idle)}>{formatted}</span>;
}

function Note({ waiting, at }: Props) {
  const { t } = useTranslation('console');
  const { kind, state, count } = waiting;
  if (kind === 'dead_letters' && (count ?? 0) > 0) return t('today.dead_letters_do');
  if (state === 'unavailable') return t('today.unavailable_note');
  if (waiting.oldest_at !== null)
    return (
      <>
        {t('today.oldest')} <Since since={waiting.oldest_at} at={at} />
      </>
    );
  return count === 0 ? t('today.nothing') : null;
}
