import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanPlacement } from '@/lib/api/types';
import { Figure, Figures } from '../components/figures';
import { ClickRate, CurrentShare, PlacementName, Spend } from './cells';
import styles from './placements-list.module.css';
import { wasShown } from './rules';

export type PlacementsProps = {
  items: readonly PlanPlacement[];
  /** The end of the scale of click rates. */
  scale: number;
  /** What all placements cost. */
  total: string;
};

export function PlacementsList({ items, scale, total }: PlacementsProps) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item.placement?.id ?? ''}>
          <h3 className={styles.name}>
            <PlacementName item={item} />
          </h3>
          <Figures small>
            <Figure label={t('figure.impressions')}>
              <span className="figure">{integer(item.impressions)}</span>
            </Figure>
            {wasShown(item) ? (
              <>
                <Figure label={t('figure.clicks')}>
                  <span className="figure">{integer(item.clicks)}</span>
                </Figure>
                <Figure label={t('reports.spend')}>
                  <Spend item={item} total={total} />
                </Figure>
              </>
            ) : null}
            <Figure label={t('figure.ctr')}>
              <ClickRate item={item} scale={scale} />
            </Figure>
            {item.share !== null || item.reason !== null ? (
              <Figure label={t('placing.share')}>
                <CurrentShare item={item} />
              </Figure>
            ) : null}
          </Figures>
        </li>
      ))}
    </ul>
  );
}
