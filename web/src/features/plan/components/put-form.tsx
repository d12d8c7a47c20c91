import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Ticket } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { propertyQuery } from '@/lib/data/property';
import { parseTypedAmount } from '@/lib/money';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { useCouponValue } from '@/ui/coupon/coupon-value';
import { cx } from '@/ui/cx';
import { TextField } from '@/ui/field';
import { Money } from '@/ui/money';
import { useForm } from '@/ui/use-form';
import { useOverlay } from '@/ui/use-overlay';
import styles from '../pages/product-detail.module.css';
import { checkAmount, type PutLimits, quickAmounts } from '../rules';
import { CouponSheet } from './coupon-sheet';
import { ReviewSheet } from './review-sheet';

type Props = { product: ProductDetail; plan: Plan | null };

/** The amount and the coupon of an ad; what they come to is reviewed in a sheet before anything is paid. */
export function PutForm({ product, plan }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  // The typed amount is in the address, so that a login that comes between does not lose it.
  const [query, setQuery] = useSearchParams();
  const property = useQuery(propertyQuery).data;
  const [couponId, setCouponId] = useState<string | null>(null);
  const coupon = product.coupons.find(({ id }) => id === couponId) ?? null;
  const review = useOverlay('review');
  const limits: PutLimits = {
    min: product.put_min,
    max: product.put_max,
    available: property?.available_funds,
  };
  const form = useForm({ amount: query.get('amount') ?? plan?.put_amount ?? '' }, ({ amount }) => {
    const wrong = checkAmount(amount, limits, coupon);
    const params = {
      min: money(limits.min),
      max: money(limits.max),
      required: money(coupon?.amount_requirement ?? '0'),
    };
    return { amount: wrong ? t(`put.error.${wrong}`, params) : undefined };
  });
  const amount = parseTypedAmount(form.values.amount);

  const keepAmount = () =>
    setQuery(
      (current) => {
        current.set('amount', form.values.amount);
        return current;
      },
      { replace: true },
    );
  return (
    <Card title={t(plan ? 'put.title_pushed' : 'put.title')}>
      <form className={styles.form} {...form.formProps(review.open)}>
        <TextField
          {...form.fieldProps('amount')}
          large
          label={t('put.amount')}
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
          placeholder={money(product.put_min)}
          hint={t('product.range', { min: money(product.put_min), max: money(product.put_max) })}
          onBlur={keepAmount}
        />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would only add its own frame */}
        <div className={styles.quick} role="group" aria-label={t('put.quick_amounts')}>
          {quickAmounts(limits).map((value) => (
            <button
              key={value}
              type="button"
              aria-pressed={amount === value}
              onClick={() => form.setValue('amount', value)}
            >
              {money(value)}
            </button>
          ))}
        </div>
        <CouponChoice coupons={product.coupons} coupon={coupon} amount={amount} onChange={setCouponId} />
        <dl className={styles.balance}>
          <dt>{t('wallet.available_funds')}</dt>
          <dd>{property ? <Money value={property.available_funds} currency={property.currency} /> : '…'}</dd>
        </dl>
        <Button type="submit" large wide>
          {t('put.review')}
        </Button>
      </form>
      {review.isOpen && amount !== null ? (
        <ReviewSheet
          product={product}
          plan={plan}
          amount={amount}
          coupon={coupon}
          available={property?.available_funds}
          currency={property?.currency}
          onClose={review.close}
        />
      ) : null}
    </Card>
  );
}

type ChoiceProps = {
  coupons: readonly Coupon[];
  coupon: Coupon | null;
  amount: string | null;
  onChange: (id: string | null) => void;
};

function CouponChoice({ coupons, coupon, amount, onChange }: ChoiceProps) {
  const { t } = useTranslation();
  const valueText = useCouponValue();
  const sheet = useOverlay('coupon');
  const summary =
    coupons.length === 0 ? t('put.no_coupons') : t('put.coupons_available', { count: coupons.length });
  return (
    <>
      <button
        type="button"
        className={styles.couponButton}
        disabled={coupons.length === 0}
        onClick={sheet.open}
      >
        <Ticket size={20} aria-hidden="true" />
        <span className={styles.choiceText}>
          <span>
            <span className={styles.name}>{t('put.coupon')}</span>
            <span className={styles.choiceMeta}>{coupon ? coupon.name : summary}</span>
          </span>
          {coupon ? <span className={cx('figure', styles.couponValue)}>{valueText(coupon)}</span> : null}
        </span>
        {coupons.length > 0 ? <ChevronRight size={20} aria-hidden="true" /> : <span />}
      </button>
      <CouponSheet
        isOpen={sheet.isOpen}
        onClose={sheet.close}
        coupons={coupons}
        chosen={coupon?.id ?? null}
        amount={amount}
        onChange={onChange}
      />
    </>
  );
}
