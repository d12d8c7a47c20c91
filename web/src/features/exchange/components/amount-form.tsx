import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LimitsHint } from '@/domain/leaving/limits-hint';
import { blocksExchange, type LeaveLimits } from '@/domain/leaving/rules';
import { propertyQuery } from '@/domain/property';
import { userInfoQuery } from '@/domain/user-info';
import { useErrorText, withMissing } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { ApiError, hasReason } from '@/lib/api/error';
import { useIntentionKey } from '@/lib/idempotency';
import { parseTypedAmount, subtract } from '@/lib/money';
import { Button, LinkButton } from '@/ui/button';
import { TextField } from '@/ui/field';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { useOverlay } from '@/ui/use-overlay';
import { type Found, keepFound, useCreateExchange } from '../api/queries';
import { checkAmount, counterAmount } from '../rules';
import styles from './amount-form.module.css';
import type { RefusedCode } from './code-form';
import { ExchangeReview } from './exchange-review';
import { sidesOf } from './exchange-text';
import { Notice } from './notice';
import { Sides } from './sides';

/** The name of the review's overlay. */
export const REVIEW = 'exchange-review';

const SET_PASSWORD_PATH = '/wallet/set-password?next=/wallet/foreign-exchange';

type Props = {
  found: Found;
  limits: { min: string; max: string };
  /** Shown where the amount leaves the wallet. */
  leaveLimits: LeaveLimits;
  wallet: string;
  onCodeRefused: (refused: RefusedCode) => void;
};

export function AmountForm({ found, limits, leaveLimits, wallet, onCodeRefused }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const queryClient = useQueryClient();
  const property = useQuery(propertyQuery).data;
  const user = useQuery(userInfoQuery).data;
  const review = useOverlay(REVIEW);
  const { offer } = found;
  const form = useForm({ amount: found.amount }, ({ amount }) => {
    const wrong = checkAmount(amount, offer, limits, property?.available_funds);
    if (wrong === null) return {};
    const text = t(`exchange.error.${wrong}`, { min: money(limits.min), max: money(limits.max) });
    const typed = parseTypedAmount(amount);
    if (wrong !== 'insufficient' || typed === null || !property) return { amount: text };
    return { amount: withMissing(text, subtract(typed, property.available_funds)) };
  });
  const amount = parseTypedAmount(form.values.amount);
  const counter = amount === null ? null : counterAmount(amount, offer.rate, offer.currency);
  const sides = amount === null || counter === null ? null : sidesOf(offer, amount, counter, wallet);
  const refuseAmount = useRefusedAmount(review.isOpen, (text) => form.reject({ amount: text }));
  const place = usePlacing({ found, review, refuseAmount, onCodeRefused });

  return (
    <>
      <form className={stack.gap4} {...form.formProps(review.open)}>
        <TextField
          {...form.fieldProps('amount')}
          large
          label={t(`exchange.amount.${offer.direction}`)}
          prefix={wallet}
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
          placeholder={money(limits.min)}
          onBlur={() => keepFound(queryClient, { ...found, amount: form.values.amount })}
        />
        <output className={styles.preview} aria-label={t('exchange.preview')}>
          <Sides give={sides?.give ?? null} get={sides?.get ?? null} />
        </output>
        <dl className={styles.balance}>
          <dt>{t('exchange.available')}</dt>
          <dd>{property ? <Money value={property.available_funds} currency={property.currency} /> : '…'}</dd>
        </dl>
        <LimitsHint limits={leaveLimits} />
        {user?.has_pay_password === false ? (
          <Notice text={t('exchange.password_first')}>
            <LinkButton wide to={SET_PASSWORD_PATH}>
              <KeyRound size={20} aria-hidden="true" />
              {t('exchange.set_password')}
            </LinkButton>
          </Notice>
        ) : (
          <Button type="submit" large wide>
            {t('exchange.review')}
          </Button>
        )}
      </form>
      {review.isOpen && amount !== null && sides ? (
        <ExchangeReview
          found={found}
          amount={amount}
          sides={sides}
          available={property?.available_funds}
          wallet={wallet}
          onPay={(password) => place(amount, password)}
          onClose={review.close}
        />
      ) : null}
    </>
  );
}

/** Shows the server's error at the amount field once the sheet above has closed. */
function useRefusedAmount(isCovered: boolean, say: (text: string) => void): (text: string) => void {
  const [refused, setRefused] = useState<string | null>(null);
  const latest = useRef(say);
  latest.current = say;
  useEffect(() => {
    if (refused === null || isCovered) return;
    latest.current(refused);
    setRefused(null);
  }, [refused, isCovered]);
  return setRefused;
}

type Placing = Pick<Props, 'found' | 'onCodeRefused'> & {
  review: { close: () => void };
  refuseAmount: (text: string) => void;
};

function usePlacing({ found, review, refuseAmount, onCodeRefused }: Placing) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const create = useCreateExchange();
  const key = useIntentionKey();
  // Back may have closed the sheet during the call.
  const latest = useRef(review);
  latest.current = review;

  return async (amount: string, password: string | null) => {
    const { kind, code } = found;
    // Without the password: retyping it after a lost answer must not make a new order.
    const intention = { kind, code, amount };
    try {
      await create.mutateAsync({
        body: { ...intention, password: password ?? '' },
        key: key.for(intention),
      });
      key.settle(null);
    } catch (error) {
      key.settle(error);
      if (error instanceof ApiError && error.field === 'amount') {
        refuseAmount(errorText(error));
        latest.current.close();
      } else if (error instanceof ApiError && error.field === 'code') {
        latest.current.close();
        onCodeRefused({ code, text: errorText(error) });
      } else if (hasReason(error, 'EXCHANGE_OPEN')) {
        // The page has refetched the orders by now and says so in place of the form.
        latest.current.close();
      } else if (error instanceof ApiError && blocksExchange(error.reason)) {
        latest.current.close();
        toast(errorText(error), 'fail');
      }
      throw error;
    }
    toast(t('exchange.success'));
    latest.current.close();
    keepFound(queryClient, null);
    // The open order is now at the top.
    window.scrollTo({ top: 0 });
  };
}
