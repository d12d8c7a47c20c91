import { useTranslation } from 'react-i18next';
import { changePercent } from '@/domain/statistics/change';
import type { Range } from '@/domain/statistics/range';
import { useFormats } from '@/i18n/format';
import type { Statistics } from '@/lib/api/types';
import styles from './change.module.css';

/** The figures that are known for the period before, too. */
export type Compared = Exclude<keyof NonNullable<Statistics['previous']>, 'from' | 'to'>;

type Props = {
  statistics: Statistics | undefined;
  figure: Compared;
  range: Range;
  /** Shows the change alone. What it compares with is read out. */
  short?: boolean;
};

/** How a figure compares with the period before; nothing if that had none. */
export function Change({ statistics, figure, range, short = false }: Props) {
  const { t } = useTranslation();
  const { change } = useFormats();
  const before = statistics?.previous?.[figure];
  if (!statistics || before === undefined || range === 'all') return null;
  const percent = changePercent(before, statistics[figure]);
  if (percent === null) return null;
  const text = t(`ad_center.before.${range}`, { change: change(percent) });
  if (!short) return <span className={styles.change}>{text}</span>;
  return (
    <span className={styles.change} title={text}>
      <span aria-hidden="true">{change(percent)}</span>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
