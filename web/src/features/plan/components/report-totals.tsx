import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { ReportTotals as Totals } from '@/lib/api/types';
import { Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { overDelivery } from '../reports';
import { Figure, Figures } from './figures';
import styles from './report-totals.module.css';

/** The figures of a plan, as the sum of its reports. */
export function ReportTotals({ totals }: { totals: Totals }) {
  const { t } = useTranslation();
  const { integer, money } = useFormats();
  const over = overDelivery(totals);
  return (
    <Card>
      <Figures row>
        <Figure label={t('figure.impressions')}>
          <span className="figure">{integer(totals.impressions)}</span>
        </Figure>
        <Figure label={t('figure.clicks')}>
          <span className="figure">{integer(totals.clicks)}</span>
        </Figure>
        <Figure label={t('figure.consumed')}>
          <Money value={totals.spend} />
        </Figure>
        <Figure label={t('figure.revenue')}>
          <Money value={totals.revenue} />
        </Figure>
      </Figures>
      <p className={styles.sum}>{t('reports.sum')}</p>
      {over ? <p className={styles.over}>{t('reports.over', { amount: money(over) })}</p> : null}
    </Card>
  );
}
