import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ComponentProps, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { basicConfigQuery } from '@/domain/basic-config';
import { Hold } from '@/domain/leaving/hold';
import { LimitsHint } from '@/domain/leaving/limits-hint';
import { leavingPropertyQuery } from '@/domain/leaving/property';
import { isOnHold, type LeaveLimits, leavable } from '@/domain/leaving/rules';
import { withMissing } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { Destinations, Property, WithdrawalMethod, WithdrawalTerms } from '@/lib/api/types';
import { parseTypedAmount, signOf, subtract } from '@/lib/money';
import { useSession } from '@/lib/session/use-session';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { FormAlert, TextField } from '@/ui/field';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { ErrorState, Skeleton } from '@/ui/states';
import { useForm } from '@/ui/use-form';
import { useOverlay } from '@/ui/use-overlay';
import { useQueryPatch } from '@/ui/use-query-patch';
import { destinationsQuery } from '../api/queries';
import { allOf, arrivesOf, checkWithdrawal, destinationOf, startMethod } from '../withdrawal';
import { DepositAction } from './deposit-action';
import { MethodChoice } from './method-choice';
import { useLateRejection } from './use-late-rejection';
import styles from './withdraw-form.module.css';
import { WithdrawReview } from './withdraw-review';

/** The withdrawal form, or what blocks a withdrawal. */
export function WithdrawForm() {
  const { t } = useTranslation();
  const { lang } = useSession();
  const property = useQuery(leavingPropertyQuery);
  const bound = useQuery(destinationsQuery);
  // The form stays during a language switch, because terms do not depend on the language.
  const config = useQuery({ ...basicConfigQuery(lang), placeholderData: keepPreviousData });
  const { refetch: refetchProperty } = property;
  const { refetch: refetchBound } = bound;
  usePageHeader({
    onRefresh: useCallback(
      () => Promise.all([refetchProperty(), refetchBound()]),
      [refetchProperty, refetchBound],
    ),
  });

  if (property.data && bound.data && config.data) {
    if (isOnHold('withdrawal', property.data)) {
      return (
        <Hold
          leaving="withdrawal"
          title={t('withdraw.blocked_title')}
          property={property.data}
          deposit={<DepositAction />}
        />
      );
    }
    const { withdraw_method_config, leave_limits } = config.data;
    const terms = withdraw_method_config.map((method) => leavable(method, leave_limits));
    return <Fields property={property.data} bound={bound.data} terms={terms} limits={leave_limits} />;
  }
  const failed = [property, bound, config].find((query) => query.isError && !query.data);
  if (failed) {
    const retry = () => {
      for (const query of [property, bound, config]) if (query.isError) void query.refetch();
    };
    return <ErrorState error={failed.error} onRetry={retry} />;
  }
  return <FormSkeleton />;
}

function FormSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={stack.gap4} role="status" aria-label={t('common.loading')}>
      <Skeleton height="11.5rem" />
      <Skeleton height="14rem" />
      <Skeleton height="3.25rem" />
    </div>
  );
}

type FormInput = { property: Property; bound: Destinations; terms: readonly WithdrawalTerms[] };

function Fields({ property, bound, terms, limits }: FormInput & { limits: LeaveLimits }) {
  const { t } = useTranslation();
  const { typedMoney } = useFormats();
  const review = useOverlay('review');
  const { form, method, chosen, choose, keep } = useWithdrawalForm({ property, bound, terms });
  const rejectLater = useLateRejection(review.isOpen, form.reject);
  const amount = parseTypedAmount(form.values.amount);
  const destination = chosen && destinationOf(chosen.method, bound);

  return (
    <>
      <form className={stack.gap4} {...form.formProps(review.open)}>
        <Card>
          <MethodChoice terms={terms} bound={bound} value={method} onChange={choose} />
          <FormAlert>{form.errors.method}</FormAlert>
        </Card>
        <Card>
          <AmountField
            {...form.fieldProps('amount')}
            property={property}
            onBlur={() => keep('amount', form.values.amount)}
            onAll={
              chosen
                ? () => form.setValue('amount', typedMoney(allOf(property.available_funds, chosen)))
                : null
            }
          />
          {chosen ? <Arrival amount={amount} terms={chosen} currency={property.currency} /> : null}
        </Card>
        <LimitsHint limits={limits} />
        <Button type="submit" large wide disabled={!chosen}>
          {t('withdraw.review')}
        </Button>
      </form>
      {review.isOpen && amount !== null && chosen && destination ? (
        <WithdrawReview
          amount={amount}
          terms={chosen}
          destination={destination}
          property={property}
          onRefused={({ field, text }) => {
            rejectLater({ [field]: text });
            review.close();
          }}
          onClose={review.close}
        />
      ) : null}
    </>
  );
}

/** Keeps amount and method in the URL, so that they survive binding an account or a login in between. */
function useWithdrawalForm({ property, bound, terms }: FormInput) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const { state } = useLocation();
  const method = startMethod(query.get('method'), terms, bound);
  const chosen = terms.find((candidate) => candidate.method === method) ?? null;
  const form = useForm({ amount: query.get('amount') ?? '', method: '' }, ({ amount }) => {
    if (!chosen) return { method: t('withdraw.error.method_required') };
    const wrong = checkWithdrawal(amount, property.available_funds, chosen);
    if (wrong === null) return {};
    const text = t(`withdraw.error.${wrong}`, { min: money(chosen.min), max: money(chosen.max) });
    const typed = parseTypedAmount(amount);
    if (wrong !== 'insufficient' || typed === null) return { amount: text };
    return { amount: withMissing(text, subtract(typed, property.available_funds)) };
  });
  // Keeps the entry's state, because the review's overlay lives there and opens on this blur.
  const keep = (name: 'amount' | 'method', value: string) => patch({ [name]: value }, { state });
  const choose = (next: WithdrawalMethod) => {
    keep('method', next);
    form.setValue('method', next);
  };
  return { form, method, chosen, choose, keep };
}

type AmountProps = Omit<ComponentProps<typeof TextField>, 'label' | 'property'> & {
  property: Property;
  /** Fills in the maximum; null while no method is chosen. */
  onAll: (() => void) | null;
};

function AmountField({ property, onAll, ...field }: AmountProps) {
  const { t } = useTranslation();
  const { money } = useFormats();
  return (
    <TextField
      {...field}
      large
      label={t('withdraw.amount')}
      inputMode="decimal"
      autoComplete="off"
      enterKeyHint="next"
      placeholder={money('0')}
      prefix={property.currency}
      hint={t('withdraw.available', { amount: money(property.available_funds) })}
      trailing={
        onAll ? (
          <Button tone="quiet" aria-label={t('withdraw.all_label')} onClick={onAll}>
            {t('withdraw.all')}
          </Button>
        ) : null
      }
    />
  );
}

type ArrivalProps = { amount: string | null; terms: WithdrawalTerms; currency: string };

function Arrival({ amount, terms, currency }: ArrivalProps) {
  const { t } = useTranslation();
  return (
    <dl className={styles.arrival}>
      <div>
        <dt>{t('withdraw.fee')}</dt>
        <dd>{signOf(terms.fee) === 0 ? t('withdraw.no_fee') : <Money value={terms.fee} />}</dd>
      </div>
      <div className={styles.arrives}>
        <dt>{t('withdraw.arrives')}</dt>
        <dd>
          <Money value={arrivesOf(amount ?? '0.00', terms.fee)} currency={currency} />
        </dd>
      </div>
    </dl>
  );
}
