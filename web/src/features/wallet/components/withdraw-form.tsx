import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Destinations, Property, WithdrawalMethod, WithdrawalTerms } from '@/lib/api/types';
import { basicConfigQuery } from '@/lib/data/basic-config';
import { propertyQuery } from '@/lib/data/property';
import { parseTypedAmount, signOf } from '@/lib/money';
import { useSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { FormAlert, TextField } from '@/ui/field';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import { ErrorState, Skeleton } from '@/ui/states';
import { useForm } from '@/ui/use-form';
import { useOverlay } from '@/ui/use-overlay';
import { destinationsQuery } from '../api/queries';
import styles from '../pages/withdraw.module.css';
import { allOf, arrivesOf, checkWithdrawal, destinationOf, startMethod, stepsOf } from '../withdrawal';
import { MethodChoice } from './method-choice';
import { type Refused, WithdrawReview } from './withdraw-review';
import { WithdrawSteps } from './withdraw-steps';

/** What stands before a withdrawal, or the form for it. */
export function WithdrawForm() {
  const { lang } = useSession();
  const property = useQuery(propertyQuery);
  const bound = useQuery(destinationsQuery);
  // Another language has its own texts but the same terms: the form stays.
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
    const steps = stepsOf(property.data);
    if (steps.length > 0) return <WithdrawSteps steps={steps} property={property.data} />;
    return <Fields property={property.data} bound={bound.data} terms={config.data.withdraw_method_config} />;
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
    <div className={styles.form} role="status" aria-label={t('common.loading')}>
      <Skeleton height="11.5rem" />
      <Skeleton height="14rem" />
      <Skeleton height="3.25rem" />
    </div>
  );
}

type FieldsProps = { property: Property; bound: Destinations; terms: readonly WithdrawalTerms[] };

function Fields({ property, bound, terms }: FieldsProps) {
  const { t } = useTranslation();
  const { money } = useFormats();
  // What was typed and chosen is in the address, so that binding an account or a login in between does not lose it.
  const [query, setQuery] = useSearchParams();
  const { state } = useLocation();
  const review = useOverlay('review');
  const [refused, setRefused] = useState<Refused | null>(null);
  const method = startMethod(query.get('method'), terms, bound);
  const chosen = terms.find((candidate) => candidate.method === method) ?? null;
  const form = useForm({ amount: query.get('amount') ?? '', method: '' }, ({ amount }) => {
    if (!chosen) return { method: t('withdraw.error.method_required') };
    const wrong = checkWithdrawal(amount, property.available_funds, chosen);
    const limits = { min: money(chosen.min), max: money(chosen.max) };
    return { amount: wrong ? t(`withdraw.error.${wrong}`, limits) : undefined };
  });
  const { reject } = form;
  const isReviewed = review.isOpen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reject` is another one on every render and does the same
  useEffect(() => {
    // The field can take the focus only when the sheet over it is gone.
    if (isReviewed || !refused) return;
    setRefused(null);
    reject({ [refused.field]: refused.text });
  }, [isReviewed, refused]);

  const amount = parseTypedAmount(form.values.amount);
  const keep = (name: 'amount' | 'method', value: string) =>
    setQuery(
      (current) => {
        current.set(name, value);
        return current;
      },
      // With the entry's state: the review, which takes the focus from the field, must not be closed by it.
      { replace: true, state },
    );
  const choose = (next: WithdrawalMethod) => {
    keep('method', next);
    form.setValue('method', next);
  };
  const destination = chosen && destinationOf(chosen.method, bound);

  return (
    <>
      <form className={styles.form} {...form.formProps(review.open)}>
        <Card>
          <MethodChoice terms={terms} bound={bound} value={method} onChange={choose} />
          <FormAlert>{form.errors.method}</FormAlert>
        </Card>
        <Card>
          <TextField
            {...form.fieldProps('amount')}
            large
            label={t('withdraw.amount')}
            inputMode="decimal"
            autoComplete="off"
            enterKeyHint="next"
            placeholder={money('0')}
            prefix={property.currency}
            hint={t('withdraw.available', { amount: money(property.available_funds) })}
            onBlur={() => keep('amount', form.values.amount)}
            trailing={
              chosen ? (
                <Button
                  tone="quiet"
                  aria-label={t('withdraw.all_label')}
                  onClick={() => form.setValue('amount', allOf(property.available_funds, chosen))}
                >
                  {t('withdraw.all')}
                </Button>
              ) : null
            }
          />
          {chosen ? <Arrival amount={amount} terms={chosen} currency={property.currency} /> : null}
        </Card>
        <Button type="submit" large wide disabled={!chosen}>
          {t('withdraw.review')}
        </Button>
      </form>
      {isReviewed && amount !== null && chosen && destination ? (
        <WithdrawReview
          amount={amount}
          terms={chosen}
          destination={destination}
          property={property}
          onRefused={(found) => {
            setRefused(found);
            review.close();
          }}
          onClose={review.close}
        />
      ) : null}
    </>
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
