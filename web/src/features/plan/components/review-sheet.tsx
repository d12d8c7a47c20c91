import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { Coupon, Plan, ProductDetail } from '@/lib/api/types';
import { putTotals } from '@/lib/coupon';
import { useIntentionKey } from '@/lib/idempotency';
import { signOf, subtract } from '@/lib/money';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { cx } from '@/ui/cx';
import { FormAlert } from '@/ui/field';
import { Money } from '@/ui/money';
import { Sheet } from '@/ui/sheet';
import { toast } from '@/ui/toast';
import { usePutPlan } from '../api/queries';
import styles from '../pages/product-detail.module.css';

type Props = {
  product: ProductDetail;
  plan: Plan | null;
  amount: string;
  coupon: Coupon | null;
  available: string | undefined;
  currency: string | undefined;
  onClose: () => void;
};

/** What is about to be paid. It stands for one intention: however often it is tapped or retried, one plan is placed. */
export function ReviewSheet({ product, plan, amount, coupon, available, currency, onClose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { signedMoney } = useFormats();
  const { send, put } = usePlacing({ product, plan, amount, coupon });
  const { paid, worth, budget } = putTotals(amount, coupon);

  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t('put.review_title')}
      footer={
        <>
          <FormAlert>{put.isError ? errorText(put.error) : null}</FormAlert>
          <Button wide large busy={put.isPending || put.isSuccess} onClick={send}>
            {t('put.confirm')}
          </Button>
        </>
      }
    >
      <div className={styles.review}>
        <div className={styles.amount}>
          <p>{t('put.you_pay')}</p>
          <strong>
            <Money value={paid} currency={currency} />
          </strong>
        </div>
        <Rows>
          <Row label={t('put.product')}>{product.name}</Row>
          {plan ? <Row label={t('put.plan_number')}>{plan.plan_number}</Row> : null}
          <Row label={t('put.amount')}>
            <Money value={amount} />
          </Row>
          {coupon && signOf(worth) > 0 ? (
            <Row label={coupon.name}>
              <span className={cx('figure', styles.couponValue)}>
                {signedMoney(coupon.mode === 'addition' ? worth : subtract('0', worth))}
              </span>
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
    </Sheet>
  );
}

function usePlacing({
  product,
  plan,
  amount,
  coupon,
}: Pick<Props, 'product' | 'plan' | 'amount' | 'coupon'>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const put = usePutPlan();
  const key = useIntentionKey();
  // A second tap may come before React has drawn the button as busy.
  const sending = useRef(false);

  const send = () => {
    if (sending.current) return;
    sending.current = true;
    const body = {
      ...(plan ? { plan_id: plan.id } : { product_id: product.id }),
      amount,
      ...(coupon ? { user_coupon_id: coupon.id } : {}),
    };
    put.mutate(
      { body, key: key.for(body) },
      {
        onSuccess: (placed) => {
          toast(t('put.success'));
          // Takes the place of the sheet's entry in the history: Back leads to the product, not to a second put.
          navigate(`/plan/detail?id=${encodeURIComponent(placed.id)}`, { replace: true });
        },
        onError: () => {
          sending.current = false;
        },
        onSettled: (_plan, error) => key.settle(error),
      },
    );
  };
  return { send, put };
}
