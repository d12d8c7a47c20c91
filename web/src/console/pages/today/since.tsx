import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { ageOf } from './age';

/** How long ago something was when the server was asked; hovering shows when. Both times are the server's. */
export function Since({ since, at }: { since: string; at: string }) {
  const { t } = useTranslation('console');
  const { dateTime, integer } = useFormats();
  const { unit, count } = ageOf(since, at);
  return (
    <time dateTime={since} title={dateTime(since)}>
      {unit === 'minute' && count === 0
        ? t('today.age.now')
        : t(`today.age.${unit}`, { count, formatted: integer(count) })}
    </time>
  );
}
