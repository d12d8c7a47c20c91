import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { missingFor } from '@/domain/coupon/totals';
import { propertyQuery } from '@/domain/property';
import { userInfoQuery } from '@/domain/user-info';
import { useFormats } from '@/i18n/format';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { parseTypedAmount } from '@/lib/money';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { FormAlert, TextField } from '@/ui/field';
import { QuickChoices } from '@/ui/quick-choices';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { useOverlay } from '@/ui/use-overlay';
import { useQueryPatch } from '@/ui/use-query-patch';
import { checkAmount, type PutLimits, quickAmounts, type RefusalPlace } from '../rules';
import { CouponChoice } from './coupon-choice';
import styles from './put-form.module.css';
import { PutPreview } from './put-preview';
import { ReviewSheet } from './review-sheet';
import { usePlacing } from './use-placing';

/** The name of the review's overlay. */
export const REVIEW = 'review';

type Props = { product: ProductDetail; plan: Plan | null };

/** The amount and the coupon of an ad. A sheet reviews the totals before anything is paid. */
export function PutForm({ product, plan }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const property = useQuery(propertyQuery).data;
  const user = useQuery(userInfoQuery);
  const [couponId, setCouponId] = useState<string | null>(null);
  const coupon = product.coupons.find(({ id }) => id === couponId) ?? null;
  const review = useOverlay(REVIEW);
  const limits: PutLimits = {
    min: product.put_min,
    max: product.put_max,
    available: property?.available_funds,
  };
  const { form, amount, keepAmount } = useAmountForm({ plan, limits, coupon });
  const refusal = useRefusal(review.isOpen, (text) => form.reject({ amount: text }));
  const place = usePlacing({ product, plan, coupon }, review, refusal.hear);

  return (
    <Card title={t(plan ? 'put.title_pushed' : 'put.title')}>
      <form
        className={stack.gap4}
        {...form.formProps(() => {
          refusal.forget();
          review.open();
        })}
      >
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
        <QuickAmounts limits={limits} amount={amount} onChoose={(value) => form.setValue('amount', value)} />
        <CouponChoice coupons={product.coupons} coupon={coupon} amount={amount} onChange={setCouponId} />
        <PutPreview
          amount={amount}
          coupon={coupon}
          available={property?.available_funds}
          currency={property?.currency}
        />
        <FormAlert>{refusal.ofCoupon}</FormAlert>
        <Button type="submit" large wide>
          {t('put.review')}
        </Button>
        <p className={styles.note}>{t('put.realtime')}</p>
      </form>
      {/* Waits for the user, to know whether there is a password to ask for. */}
      {review.isOpen && amount !== null && !(user.isPending || user.isPlaceholderData) ? (
        <ReviewSheet
          product={product}
          plan={plan}
          amount={amount}
          coupon={coupon}
          available={property?.available_funds}
          currency={property?.currency}
          asksPassword={user.data?.has_pay_password ?? true}
          onPay={() => place(amount)}
          onClose={review.close}
        />
      ) : null}
    </Card>
  );
}

type AmountFormInput = { plan: Plan | null; limits: PutLimits; coupon: Coupon | null };

/** Keeps the typed amount in the URL, so that it survives a login in between. */
function useAmountForm({ plan, limits, coupon }: AmountFormInput) {
  const { t } = useTranslation();
  const { money, typedMoney } = useFormats();
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const { state } = useLocation();
  const proposed = plan ? typedMoney(plan.put_amount) : '';
  const form = useForm({ amount: query.get('amount') ?? proposed }, ({ amount }) => {
    const wrong = checkAmount(amount, limits, coupon);
    const missing = coupon && missingFor(coupon, parseTypedAmount(amount) ?? '0.00');
    const params = {
      min: money(limits.min),
      max: money(limits.max),
      required: money(coupon?.amount_requirement ?? '0'),
      missing: money(missing ?? '0'),
    };
    return { amount: wrong ? t(`put.error.${wrong}`, params) : undefined };
  });
  // Keeps the entry's state, because the review's overlay lives there and opens on this blur.
  const keepAmount = () => patch({ amount: form.values.amount }, { state });
  return { form, amount: parseTypedAmount(form.values.amount), keepAmount };
}

/** Shows a refusal beside the input it is about, once the sheet above has closed. */
function useRefusal(isCovered: boolean, sayAmount: (text: string) => void) {
  const [refused, setRefused] = useState<{ place: RefusalPlace; text: string } | null>(null);
  const latest = useRef(sayAmount);
  latest.current = sayAmount;
  useEffect(() => {
    if (isCovered || !refused || refused.place === 'coupon') return;
    if (refused.place === 'amount') latest.current(refused.text);
    else toast(refused.text, 'fail');
    setRefused(null);
  }, [refused, isCovered]);
  return {
    ofCoupon: refused?.place === 'coupon' ? refused.text : null,
    hear: (place: RefusalPlace, text: string) => setRefused({ place, text }),
    forget: () => setRefused(null),
  };
}

type QuickProps = { limits: PutLimits; amount: string | null; onChoose: (value: string) => void };

function QuickAmounts({ limits, amount, onChoose }: QuickProps) {
  const { t } = useTranslation();
  const { money, typedMoney } = useFormats();
  return (
    <QuickChoices
      className={styles.quick}
      label={t('put.quick_amounts')}
      choices={quickAmounts(limits).map((value) => ({
        key: value,
        label: money(value),
        isChosen: amount === value,
        onChoose: () => onChoose(typedMoney(value)),
      }))}
    />
  );
}
