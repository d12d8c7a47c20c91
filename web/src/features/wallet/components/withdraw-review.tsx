import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { PaySheet } from '@/domain/pay/pay-sheet';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { ApiError } from '@/lib/api/error';
import type { Destination, Property, WithdrawalTerms } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { signOf, subtract } from '@/lib/money';
import { BigAmount } from '@/ui/big-amount';
import { Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useWithdraw } from '../api/queries';
import { arrivesOf, fieldOf } from '../withdrawal';
import { useDestinationLine } from './destination-text';

/** A refusal that belongs to a field of the form. */
type Refused = { field: 'amount' | 'method'; text: string };

type Props = {
  amount: string;
  terms: WithdrawalTerms;
  destination: Destination;
  property: Property;
  onRefused: (refused: Refused) => void;
  onClose: () => void;
};

/** Reviews a withdrawal. However often it is tapped or retried, one withdrawal is requested. */
export function WithdrawReview({ amount, terms, destination, property, onRefused, onClose }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const line = useDestinationLine();
  const onPay = usePay(amount, terms, onRefused);
  const arrives = arrivesOf(amount, terms.fee);
  return (
    <PaySheet
      title={t('withdraw.review_title')}
      confirmLabel={t('withdraw.confirm')}
      asksPassword
      summary={
        <>
          <strong className="figure">{`${money(amount)} ${property.currency}`}</strong>
          {t('withdraw.summary', { destination: line(destination) })}
        </>
      }
      onPay={onPay}
      onClose={onClose}
    >
      <div className={stack.gap4}>
        <BigAmount label={t('withdraw.arrives')}>
          <Money value={arrives} currency={property.currency} />
        </BigAmount>
        <Rows>
          <Row label={t('withdraw.leaves')}>
            <Money value={amount} />
          </Row>
          <Row label={t('withdraw.fee')}>
            {signOf(terms.fee) === 0 ? t('withdraw.no_fee') : <Money value={terms.fee} />}
          </Row>
          <Row label={t('withdraw.to')}>{line(destination)}</Row>
          {destination.kind === 'bank_card' ? (
            <Row label={t('withdraw.holder')}>{destination.user_name}</Row>
          ) : null}
          <Row label={t('withdraw.balance_now')}>
            <Money value={property.available_funds} />
          </Row>
          <Row label={t('withdraw.balance_after')}>
            <Money value={subtract(property.available_funds, amount)} />
          </Row>
        </Rows>
      </div>
    </PaySheet>
  );
}

function usePay(amount: string, { method }: WithdrawalTerms, onRefused: Props['onRefused']) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const withdraw = useWithdraw();
  const key = useIntentionKey();
  return async (password: string | null) => {
    const body = { amount, method, password: password ?? '' };
    try {
      const { id } = await withdraw.mutateAsync({ body, key: key.for(body) });
      key.settle(null);
      toast(t('withdraw.success'));
      // Replaces the sheet's history entry, so that Back leads to the form and not to the password.
      navigate(`/wallet/withdraw?id=${encodeURIComponent(id)}`, { replace: true });
    } catch (error) {
      key.settle(error);
      const field = error instanceof ApiError ? fieldOf(error.reason, error.field) : null;
      if (field) onRefused({ field, text: errorText(error) });
      throw error;
    }
  };
}
