import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Days, isDay, PERIODS, type Period, periodOf } from '@/lib/calendar';
import { Select } from '../select';
import { type QueryPatch, useQueryPatch } from '../use-query-patch';
import styles from './period-filter.module.css';
import { today } from './today';

type Props = { state: { period: Period; days: Days } };

/** The choice of a period: presets, or two days of one's own. It is in the URL. */
export function PeriodFilter({ state: { period, days } }: Props) {
  const { t } = useTranslation();
  const patch = useQueryPatch();
  const chooseDay = (day: Days) =>
    patch((query) => {
      const current = periodOf(query, today());
      return patchOf('custom', { ...(current.period === 'custom' ? current.days : days), ...day });
    });
  return (
    <>
      <Select
        label={t('desk.period')}
        value={period}
        options={PERIODS.map((value) => ({ value, label: t(`desk.periods.${value}`) }))}
        // One's own days begin with those that are shown.
        onChange={(value) => patch(patchOf(value as Period, value === 'custom' ? days : {}))}
      />
      {period === 'custom' ? (
        <span className={styles.days}>
          <DayField label={t('desk.from')} name="from" days={days} onChange={(from) => chooseDay({ from })} />
          <DayField
            label={t('desk.until')}
            name="until"
            days={days}
            onChange={(until) => chooseDay({ until })}
          />
        </span>
      ) : null}
    </>
  );
}

function patchOf(period: Period, { from, until }: Days): QueryPatch {
  return { period: period === 'all' ? null : period, from, until, month: null };
}

type DayProps = { label: string; name: keyof Days; days: Days; onChange: (day: string) => void };

/** Years before are only the beginning of one that is being typed. */
const FIRST_DAY = '2000-01-01';

function DayField({ label, name, days, onChange }: DayProps) {
  const id = useId();
  const value = days[name] ?? '';
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <span className={styles.day}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        min={FIRST_DAY}
        max={today()}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (isDay(target.value) && target.value >= FIRST_DAY) onChange(target.value);
        }}
        // Without a day while one is typed, it is not yet cleared.
        onBlur={() => {
          if (typed === '' && value !== '') onChange('');
        }}
      />
    </span>
  );
}
