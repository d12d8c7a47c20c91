import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanPlacement } from '@/lib/api/types';
import { shareOf } from '@/lib/money';
import { Badge, type Tone } from '@/ui/card';
import { Money } from '@/ui/money';
import styles from './cells.module.css';
import { hasRate, type PlacementReason, rateMarks } from './rules';

/** Shown where there is nothing to divide by, and where nothing was decided. */
const NO_FIGURE = '–';

const TONES: Record<PlacementReason, Tone> = {
  chosen: 'positive',
  exploring: 'info',
  capped: 'neutral',
  full: 'neutral',
  held: 'warning',
};

type Props = { item: PlanPlacement };

export function PlacementName({ item: { placement, simulated } }: Props) {
  const { t } = useTranslation();
  return (
    <span className={styles.name}>
      {placement ? placement.name : t('placing.none')}
      {simulated ? <Badge tone="info">{t('reports.simulated')}</Badge> : null}
    </span>
  );
}

/** A click rate with the range in which the true one lies, drawn and in digits. */
export function ClickRate({ item, scale }: Props & { scale: number }) {
  const { t } = useTranslation();
  const { percent } = useFormats();
  if (!hasRate(item)) return NO_FIGURE;
  const text = (rate: number) => percent(String(rate));
  const { low, rate, high } = rateMarks(item, scale);
  return (
    <span className={styles.cell}>
      <span className="figure">{text(item.ctr)}</span>
      <span className={styles.track} aria-hidden="true">
        <span
          className={styles.range}
          style={{ insetInlineStart: `${low}%`, inlineSize: `${Math.max(1, high - low)}%` }}
        />
        <span className={styles.mark} style={{ insetInlineStart: `${rate}%` }} />
      </span>
      <span className={styles.note}>
        {t('placing.range', { low: text(item.ctr_low), high: text(item.ctr_high) })}
      </span>
    </span>
  );
}

/** A spend with its share of the spend on all placements. */
export function Spend({ item: { spend }, total, short }: Props & { total: string; short?: boolean }) {
  const { t } = useTranslation();
  const { wholePercent } = useFormats();
  const share = shareOf(spend, total);
  return (
    <span className={styles.cell}>
      <Money value={spend} />
      <span className={styles.track} aria-hidden="true">
        <span className={styles.part} style={{ inlineSize: `${share}%` }} />
      </span>
      <span className={styles.note}>
        {short ? wholePercent(share) : t('placing.of_spend', { share: wholePercent(share) })}
      </span>
    </span>
  );
}

/** What the newest round gave to a placement, and why. */
export function CurrentShare({ item: { share, reason }, stacked }: Props & { stacked?: boolean }) {
  const { t } = useTranslation();
  const { wholePercent } = useFormats();
  if (share === null && reason === null) return NO_FIGURE;
  return (
    <span className={stacked ? styles.stacked : styles.share}>
      <span className="figure">{share === null ? NO_FIGURE : wholePercent(100 * share)}</span>
      {reason ? <Badge tone={TONES[reason]}>{t(`placing.reason.${reason}`)}</Badge> : null}
    </span>
  );
}
