import { ArrowDownLeft, ArrowUpRight, Minus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { cx } from '@/ui/cx';
import { Money } from '@/ui/money';
import styles from './flow-list.module.css';
import { planPathOf } from './plan';
import { PlanName } from './plan-name';
import { wordOf } from './words';

type Props = {
  entries: readonly FlowEntry[];
  /** Links a movement to its plan. The plan's own page does not need that. */
  linked?: boolean;
  /** Opens the details of a movement. */
  onOpen?: (entry: FlowEntry) => void;
};

/** Movements of money, each with its purpose and the resulting balance. */
export function FlowList({ entries, linked = false, onOpen }: Props) {
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <FlowItem key={entry.id} entry={entry} linked={linked} onOpen={onOpen} />
      ))}
    </ul>
  );
}

type ItemProps = { entry: FlowEntry; linked: boolean; onOpen?: Props['onOpen'] | undefined };

function FlowItem({ entry, linked, onOpen }: ItemProps) {
  const { t } = useTranslation();
  const { moment, money, signedMoney } = useFormats();
  const word = t(wordOf(entry));
  const sign = signOf(entry.amount);
  return (
    <li className={styles.entry}>
      <span className={cx(styles.icon, sign > 0 && styles.in)} aria-hidden="true">
        {sign > 0 ? <ArrowDownLeft size={18} /> : null}
        {sign < 0 ? <ArrowUpRight size={18} /> : null}
        {sign === 0 ? <Minus size={18} /> : null}
      </span>
      <span className={styles.head}>
        {onOpen ? (
          <button
            type="button"
            className={cx(styles.type, styles.open)}
            aria-haspopup="dialog"
            aria-label={t('flow.open_named', {
              type: word,
              amount: signedMoney(entry.amount),
              time: moment(entry.time),
            })}
            onClick={() => onOpen(entry)}
          >
            {word}
          </button>
        ) : (
          <span className={styles.type}>{word}</span>
        )}
        <span className={styles.amount}>
          <Money value={entry.amount} signed="movement" />
        </span>
      </span>
      <FlowNote entry={entry} linked={linked} />
      <span className={styles.foot}>
        <time className={styles.time} dateTime={entry.time}>
          {moment(entry.time)}
        </time>
        <span className={styles.balance}>
          {t(`flow.balance.${entry.account}`, { amount: money(entry.balance_after) })}
        </span>
      </span>
    </li>
  );
}

function FlowNote({ entry, linked }: Pick<ItemProps, 'entry' | 'linked'>) {
  const { t } = useTranslation();
  const path = linked ? planPathOf(entry) : null;
  if (!path) {
    const text = entry.remark || (linked ? t('flow.no_remark') : null);
    return text ? <span className={styles.remark}>{text}</span> : null;
  }
  return (
    <span className={styles.remark}>
      <Link className={styles.link} to={path}>
        <PlanName plan={entry.plan} />
      </Link>
      {entry.remark !== entry.plan?.plan_number ? entry.remark : null}
    </span>
  );
}
