import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';

type Span = { first_day: string | null; last_day: string | null };

/** The booking dates of a statement; none if an earlier file had brought all of its lines. */
export function Days({ of }: { of: Span }) {
  const { t } = useTranslation('console');
  const { first_day: first, last_day: last } = of;
  if (first === null || last === null) return t('list.none');
  if (first === last) return <Day day={first} />;
  return (
    <>
      <Day day={first} /> – <Day day={last} />
    </>
  );
}

export function daysText({ first_day: first, last_day: last }: Span): string {
  return first === last ? (first ?? '') : `${first ?? ''} ${last ?? ''}`;
}

/** A day of the bank, which has no time zone. */
export function Day({ day }: { day: string }) {
  const { date } = useFormats();
  return <time dateTime={day}>{date(`${day}T12:00:00`)}</time>;
}
