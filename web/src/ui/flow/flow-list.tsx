import { ArrowDownLeft, ArrowUpRight, Minus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { cx } from '../cx';
import { Money } from '../money';
import styles from './flow-list.module.css';

/** Movements of money, each with what it was for and the balance it left. */
export function FlowList({ entries }: { entries: readonly FlowEntry[] }) {
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <FlowItem key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function FlowItem({ entry }: { entry: FlowEntry }) {
  const { t } = useTranslation();
  const { moment, money } = useFormats();
  const sign = signOf(entry.amount);
  return (
    <li className={styles.entry}>
      <span className={cx(styles.icon, sign > 0 && styles.in)} aria-hidden="true">
        {sign > 0 ? <ArrowDownLeft size={18} /> : null}
        {sign < 0 ? <ArrowUpRight size={18} /> : null}
        {sign === 0 ? <Minus size={18} /> : null}
      </span>
      <span className={styles.head}>
        <span className={styles.type}>{t(`flow.${entry.type}`)}</span>
        <span className={styles.amount}>
          <Money value={entry.amount} signed="movement" />
        </span>
      </span>
      <span className={styles.remark}>{entry.remark || t('flow.no_remark')}</span>
      <span className={styles.foot}>
        <time className={styles.time} dateTime={entry.time}>
          {moment(entry.time)}
        </time>
        <span className={cx('figure', styles.balance)}>
          {t('flow.balance', { amount: money(entry.balance_after) })}
        </span>
      </span>
    </li>
  );
}
