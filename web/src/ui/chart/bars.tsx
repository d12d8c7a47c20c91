import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { localeOf } from '@/i18n/languages';
import { cx } from '../cx';
import styles from './bars.module.css';
import { ChartFrame, Cursor, Grid, TONES } from './chart-frame';
import { bandAt, bandCentre, bandMarks, barRects, niceMax, type Plot, type Series } from './scale';

type Props = {
  label: string;
  /** Months as `YYYY-MM`, oldest first. */
  months: readonly string[];
  /** One or two series over the same months. The values only determine the bars' height. */
  series: readonly Series[];
  /** The exact value of a bar for tooltip and table. */
  textAt: (series: string, index: number) => string;
  /** The heading of the table's first column. */
  heading: string;
};

/** A bar chart by month. */
export default function Bars({ label, months, series, textAt, heading }: Props) {
  const { i18n } = useTranslation();
  const names = useMonthNames(months, i18n.language);
  const max = niceMax(Math.max(0, ...series.flatMap((line) => line.values)));
  return (
    <ChartFrame
      label={label}
      series={series}
      count={months.length}
      heading={heading}
      nameAt={names.full}
      markAt={names.short}
      marksOf={bandMarks}
      textAt={textAt}
      xAt={bandCentre}
      nearest={bandAt}
      centred
    >
      {(plot, index) => <Drawing plot={plot} max={max} series={series} count={months.length} index={index} />}
    </ChartFrame>
  );
}

type DrawingProps = {
  plot: Plot;
  max: number;
  series: readonly Series[];
  count: number;
  index: number | null;
};

function Drawing({ plot, max, series, count, index }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${plot.width} ${plot.height}`} preserveAspectRatio="none" aria-hidden="true">
      <Grid plot={plot} max={max} />
      {series.map((line, position) => (
        <g key={line.key} className={cx(styles.bars, TONES[position])}>
          {barRects(line.values, { position, of: series.length }, max, plot).map((bar, place) => (
            <rect
              key={place}
              {...bar}
              rx={Math.min(3, bar.width / 2, bar.height)}
              opacity={index === null || index === place ? 1 : 0.35}
            />
          ))}
        </g>
      ))}
      {index === null ? null : <Cursor x={bandCentre(index, count, plot)} plot={plot} />}
    </svg>
  );
}

function useMonthNames(months: readonly string[], lang: string) {
  return useMemo(() => {
    const locale = localeOf(lang);
    const short = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
    const full = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const text = (format: Intl.DateTimeFormat) => (index: number) => {
      const month = months[index];
      return month ? format.format(new Date(`${month}-01T00:00:00Z`)) : '';
    };
    return { short: text(short), full: text(full) };
  }, [months, lang]);
}
