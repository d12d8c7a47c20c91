import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { countdownText } from '../rules';

/** When something ends: a date, or a countdown shortly before. */
export function Countdown({ until, leftMs }: { until: string; leftMs: number }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const left = countdownText(leftMs);
  if (left === null) return <time dateTime={until}>{dateTime(until)}</time>;
  return (
    <span className="figure" role="timer" title={dateTime(until)}>
      {t('exchange.ends_in', { time: left })}
    </span>
  );
}
