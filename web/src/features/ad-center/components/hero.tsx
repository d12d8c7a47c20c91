import { ChevronDown, RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSourceText } from '@/domain/delivery/source-text';
import type { Range } from '@/domain/statistics/range';
import { useFormats } from '@/i18n/format';
import type { Statistics } from '@/lib/api/types';
import { IconButton } from '@/ui/button';
import { cx } from '@/ui/cx';
import { HeroPanel } from '@/ui/hero-panel';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import { markedShares } from '../rules';
import { Change } from './change';
import styles from './hero.module.css';
import { Marked } from './marked';

const FIGURES = ['consumed', 'revenue', 'profit'] as const;

type Props = {
  statistics: Statistics | undefined;
  range: Range;
  isFetching: boolean;
  failed: boolean;
  onRefresh: () => void;
};

/** Spend, revenue and what remains, each as large as the others, and until when networks have reported them. */
export function Hero({ statistics, range, isFetching, failed, onRefresh }: Props) {
  const { t } = useTranslation();
  return (
    <HeroPanel aria-label={t('chart.money')}>
      <div className={styles.top}>
        <Reported statistics={statistics} failed={failed} />
        <div className={cx(styles.refresh, isFetching && styles.busy)}>
          <IconButton label={t('ad_center.refresh')} onClick={onRefresh}>
            <RotateCw size={18} aria-hidden="true" />
          </IconButton>
        </div>
      </div>
      <dl className={styles.figures}>
        {FIGURES.map((key) => (
          <div key={key} className={styles.figure}>
            <dt>{t(`figure.${key}`)}</dt>
            <dd className={styles.value}>
              {statistics ? (
                <>
                  <Money value={statistics[key]} {...(key === 'profit' ? { signed: 'result' } : {})} />
                  <Marked statistics={statistics} figure={key} />
                </>
              ) : (
                <Skeleton width="7rem" height="1.45em" />
              )}
            </dd>
            <dd className={styles.change}>
              <Change statistics={statistics} figure={key} range={range} />
            </dd>
          </div>
        ))}
      </dl>
      {statistics ? <Shares statistics={statistics} /> : null}
    </HeroPanel>
  );
}

/** Until when networks have reported: the latest of them, and on demand each. */
function Reported({ statistics, failed }: Pick<Props, 'statistics' | 'failed'>) {
  const { t } = useTranslation();
  const { recent } = useFormats();
  const sourceText = useSourceText();
  if (!statistics) return <p className={styles.reported}>{t('common.loading')}</p>;
  const [latest] = statistics.reported_until;
  const updated = latest
    ? t('ad_center.reported_until', { time: recent(latest.time) })
    : t('ad_center.not_reported');
  const text = failed ? t('ad_center.not_refreshed', { updated }) : updated;
  if (!latest) return <p className={styles.reported}>{text}</p>;
  return (
    <details className={styles.reported}>
      <summary>
        {text}
        <ChevronDown size={16} aria-hidden="true" />
      </summary>
      <dl className={styles.sources}>
        {statistics.reported_until.map(({ source, time }) => (
          <div key={source}>
            <dt>{sourceText(source)}</dt>
            <dd>
              <time dateTime={time}>{recent(time)}</time>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** What of the figures is estimated or simulated. */
function Shares({ statistics }: { statistics: Statistics }) {
  const { t } = useTranslation();
  const { integer, list, money } = useFormats();
  const shares = markedShares(statistics);
  const marks = (['estimated', 'simulated'] as const).filter((mark) => shares[mark].length > 0);
  if (marks.length === 0) return null;
  return (
    <ul className={styles.shares}>
      {marks.map((mark) => (
        <li key={mark}>
          <span aria-hidden="true">* </span>
          {t(`ad_center.share.${mark}`, {
            shares: list(
              shares[mark].map(
                ({ key, value }) =>
                  `${t(`figure.${key}`)} ${typeof value === 'number' ? integer(value) : money(value)}`,
              ),
            ),
          })}
        </li>
      ))}
    </ul>
  );
}
