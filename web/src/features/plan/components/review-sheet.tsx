import { useTranslation } from 'react-i18next';
import { putTotals } from '@/domain/coupon/totals';
import { PaySheet } from '@/domain/pay/pay-sheet';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { signOf, subtract } from '@/lib/money';
import { BigAmount } from '@/ui/big-amount';
import { Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import { CouponWorth } from './coupon-worth';

type Props = {
  product: ProductDetail;
  plan: Plan | null;
  amount: string;
  coupon: Coupon | null;
  available: string | undefined;
  currency: string | undefined;
  asksPassword: boolean;
  onPay: () => Promise<unknown>;
  onClose: () => void;
};

/** Reviews the price and what it buys. The transaction password follows if the user has one. */
export function ReviewSheet(props: Props) {
  const { product, plan, amount, coupon, available, currency, asksPassword, onPay, onClose } = props;
  const { t } = useTranslation();
  const { paid, worth, budget } = putTotals(amount, coupon);

  return (
    <PaySheet
      title={t('put.review_title')}
      confirmLabel={t('put.confirm')}
      asksPassword={asksPassword}
      summary={
        <>
          {product.name}
          <strong>
            <Money value={paid} currency={currency} />
          </strong>
        </>
      }
      onPay={onPay}
      onClose={onClose}
    >
      <div className={stack.gap4}>
        <BigAmount label={t('put.you_pay')}>
          <Money value={paid} currency={currency} />
        </BigAmount>
        <Rows>
          <Row label={t('put.product')}>{product.name}</Row>
          {plan ? <Row label={t('put.plan_number')}>{plan.plan_number}</Row> : null}
          <Row label={t('put.amount')}>
            <Money value={amount} />
          </Row>
          {coupon && signOf(worth) > 0 ? (
            <Row label={coupon.name}>
              <CouponWorth coupon={coupon} worth={worth} />
            </Row>
          ) : null}
          <Row label={t('put.budget')}>
            <Money value={budget} />
          </Row>
          {available === undefined ? null : (
            <>
              <Row label={t('put.balance_now')}>
                <Money value={available} />
              </Row>
              <Row label={t('put.balance_after')}>
                <Money value={subtract(available, paid)} />
              </Row>
            </>
          )}
        </Rows>
      </div>
    </PaySheet>
  );
}
