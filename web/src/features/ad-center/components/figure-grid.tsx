import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Statistics } from '@/lib/api/types';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import styles from './figure-grid.module.css';

/** Shown for a rate without a denominator. */
const NO_FIGURE = '–';

/** The secondary statistics. Those that sum up plans link to them. */
export function FigureGrid({ statistics }: { statistics: Statistics | undefined }) {
  const { t } = useTranslation();
  const { integer, money, ratio, percent } = useFormats();
  const show = (render: (figures: Statistics) => ReactNode) =>
    statistics ? render(statistics) : <Skeleton width="60%" height="1.45em" />;
  return (
    <dl className={styles.grid}>
      <Cell label={t('figure.invested')} to="/plan">
        {show(({ invested }) => (
          <Money value={invested} />
        ))}
      </Cell>
      <Cell label={t('figure.delivery_orders')} to="/plan?status=putting">
        {show(({ delivery_orders }) => (
          <span className="figure">{integer(delivery_orders)}</span>
        ))}
      </Cell>
      <Cell label={t('figure.to_be_consumed')} to="/plan?status=putting">
        {show(({ to_be_consumed }) => (
          <Money value={to_be_consumed} />
        ))}
      </Cell>
      <Cell label={t('figure.impressions')}>
        {show(({ impressions }) => (
          <span className="figure">{integer(impressions)}</span>
        ))}
      </Cell>
      <Cell label={t('figure.clicks')}>
        {show(({ clicks }) => (
          <span className="figure">{integer(clicks)}</span>
        ))}
      </Cell>
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
          <span className="figure">{roas ? ratio(roas) : NO_FIGURE}</span>
        ))}
      </Cell>
    </dl>
  );
}

function Cell({ label, to, children }: { label: string; to?: string; children: ReactNode }) {
  return (
    <div className={styles.cell}>
      <dt>
        {to ? <Link to={to}>{label}</Link> : label}
        {to ? <ChevronRight size={16} aria-hidden="true" /> : null}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
