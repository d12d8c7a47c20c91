import { Landmark, WalletMinimal } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Destinations, WithdrawalMethod, WithdrawalTerms } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { cx } from '@/ui/cx';
import { destinationOf } from '../withdrawal';
import { useDestinationLine } from './destination-text';
import styles from './method-choice.module.css';

type Props = {
  terms: readonly WithdrawalTerms[];
  bound: Destinations;
  value: WithdrawalMethod | null;
  onChange: (method: WithdrawalMethod) => void;
};

/** The withdrawal method. A method without an account links to binding one and back. */
export function MethodChoice({ terms, bound, value, onChange }: Props) {
  const { t } = useTranslation();
  if (terms.length === 0) return <p className={styles.muted}>{t('withdraw.no_method')}</p>;
  return (
    <fieldset className={styles.methods}>
      <legend>{t('withdraw.method')}</legend>
      {terms.map((each) => (
        <Method
          key={each.method}
          terms={each}
          bound={bound}
          isChosen={each.method === value}
          onChange={onChange}
        />
      ))}
    </fieldset>
  );
}

type MethodProps = {
  terms: WithdrawalTerms;
  bound: Destinations;
  isChosen: boolean;
  onChange: (method: WithdrawalMethod) => void;
};

function Method({ terms, bound, isChosen, onChange }: MethodProps) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const { pathname, search } = useLocation();
  const line = useDestinationLine();
  const { method, enabled, min, max, fee } = terms;
  const destination = destinationOf(method, bound);
  const Icon = method === 'bank_card' ? Landmark : WalletMinimal;
  return (
    <div className={cx(styles.method, isChosen && styles.chosen)}>
      <label className={styles.methodLabel}>
        <input
          type="radio"
          name="method"
          value={method}
          checked={isChosen}
          disabled={!enabled || !destination}
          onChange={() => onChange(method)}
        />
        <span className={styles.methodIcon} aria-hidden="true">
          <Icon size={20} />
        </span>
        <span className={styles.methodText}>
          <span className={styles.methodName}>{t(`withdraw.${method}`)}</span>
          <span className={styles.methodAccount}>{line(destination)}</span>
          {enabled ? (
            <span className={styles.methodMeta}>
              <span>{t('withdraw.limits', { min: money(min), max: money(max) })}</span>
              <span>
                {signOf(fee) === 0 ? t('withdraw.no_fee') : t('withdraw.fee_of', { fee: money(fee) })}
              </span>
            </span>
          ) : (
            <span className={styles.methodMeta}>{t('withdraw.not_offered')}</span>
          )}
        </span>
      </label>
      {enabled ? (
        <Link
          className={styles.methodLink}
          to={`/wallet/bind-card?${new URLSearchParams({ kind: method, next: `${pathname}${search}` })}`}
          aria-label={`${t(destination ? 'withdraw.change' : 'withdraw.bind')}: ${t(`withdraw.${method}`)}`}
        >
          {t(destination ? 'withdraw.change' : 'withdraw.bind')}
        </Link>
      ) : null}
    </div>
  );
}
