import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { figurePath } from '@/domain/statistics/figure';
import type { Range } from '@/domain/statistics/range';
import { useFormats } from '@/i18n/format';
import type { Statistics } from '@/lib/api/types';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import { Change, type Compared } from './change';
import styles from './figure-grid.module.css';
import { Marked } from './marked';

/** Shown for a rate without a denominator. */
const NO_FIGURE = '–';

type Props = { statistics: Statistics | undefined; range: Range };

/** The secondary statistics. Those that sum up plans lead to just these plans. */
export function FigureGrid({ statistics, range }: Props) {
  const { t } = useTranslation();
  const { integer, money, times, percent } = useFormats();
  const show = (render: (figures: Statistics) => ReactNode) =>
    statistics ? render(statistics) : <Skeleton width="60%" height="1.45em" />;
  const change = (key: Compared) => <Change statistics={statistics} figure={key} range={range} short />;
  return (
    <dl className={styles.grid}>
      <Cell label={t('figure.invested')} to={figurePath('invested', range)} note={change('invested')}>
        {show(({ invested }) => (
          <Money value={invested} />
        ))}
      </Cell>
      <Cell
        label={t('figure.delivery_orders')}
        to={figurePath('delivery_orders', range)}
        note={change('delivery_orders')}
      >
        {show(({ delivery_orders }) => (
          <span className="figure">{integer(delivery_orders)}</span>
        ))}
      </Cell>
      <Cell label={t('figure.to_be_consumed')} to={figurePath('to_be_consumed', range)}>
        {show(({ to_be_consumed }) => (
          <Money value={to_be_consumed} />
        ))}
      </Cell>
      {(['impressions', 'clicks'] as const).map((key) => (
        <Cell key={key} label={t(`figure.${key}`)} note={change(key)}>
          {show((figures) => (
            <>
              <span className="figure">{integer(figures[key])}</span>
              <Marked statistics={figures} figure={key} />
            </>
          ))}
        </Cell>
      ))}
      <Cell label={t('figure.ctr')}>
        {show(({ ctr }) => (
          <span className="figure">{ctr ? percent(ctr) : NO_FIGURE}</span>
        ))}
      </Cell>
      <Cell label={t('figure.cpc')}>
        {show(({ cpc }) => (
          <span className="figure">{cpc ? money(cpc) : NO_FIGURE}</span>
        ))}
      </Cell>
      <Cell label={t('figure.roas')}>
        {show(({ roas }) => (
          <span className="figure">{roas ? times(roas) : NO_FIGURE}</span>
        ))}
      </Cell>
    </dl>
  );
}

type CellProps = { label: string; to?: string; note?: ReactNode; children: ReactNode };

function Cell({ label, to, note, children }: CellProps) {
  return (
    <div className={styles.cell}>
      <dt>
        {to ? <Link to={to}>{label}</Link> : label}
        {to ? <ChevronRight size={16} aria-hidden="true" /> : null}
      </dt>
      <dd className={styles.value}>
        <span>{children}</span>
        {note}
      </dd>
    </div>
  );
}
