import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';

/** A moment in the member's time zone; hovering shows it in full. */
export function Moment({ at }: { at: string | null | undefined }) {
  const { t } = useTranslation('console');
  const { moment, dateTime } = useFormats();
  if (!at) return t('list.none');
  return (
    <time dateTime={at} title={dateTime(at)}>
      {moment(at)}
    </time>
  );
}
