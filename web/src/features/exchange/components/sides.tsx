import { ArrowDown, ArrowRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { type Side, useExact } from './exchange-text';
import styles from './sides.module.css';

type Props = { give: Side | null; get: Side | null };

/** The two sides of an exchange, with dashes while they are unknown. */
export function Sides({ give, get }: Props) {
  const { t } = useTranslation();
  return (
    <dl className={styles.sides}>
      <SideRow label={t('exchange.you_give')} side={give} />
      <span className={styles.arrow} aria-hidden="true">
        <ArrowDown size={18} />
      </span>
      <SideRow label={t('exchange.you_get')} side={get} strong />
    </dl>
  );
}

function SideRow({ label, side, strong }: { label: string; side: Side | null; strong?: boolean }) {
  return (
    <div className={strong ? styles.strong : undefined}>
      <dt>{label}</dt>
      <dd>{side ? <SideAmount side={side} /> : '–'}</dd>
    </div>
  );
}

export function SideAmount({ side }: { side: Side }) {
  const exact = useExact();
  return (
    <>
      <span className="figure">{exact(side.amount)}</span>{' '}
      <span className={styles.currency}>{side.currency}</span>
    </>
  );
}

/** Both sides in one line. */
export function SidesLine({ give, get }: { give: Side; get: Side }) {
  return (
    <span className={styles.line}>
      <span className={styles.part}>
        <SideAmount side={give} />
      </span>
      <ArrowRight size={16} aria-hidden="true" />
      <span className={styles.part}>
        <SideAmount side={get} />
      </span>
    </span>
  );
}
