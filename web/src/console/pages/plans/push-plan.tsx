import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { useSend } from '../../act/use-send';
import { consoleKeys } from '../../api/keys';
import { PageHead } from '../../ui/page-head';
import { PushForm } from './push-form';
import { PushResult } from './push-result';
import { PushReview } from './push-review';
import { NO_VALUES, type Operator, type Product, type PushValues, pushBody, pushSchema } from './push-values';
import { useAll } from './use-all';

/** Proposes a plan to users, who decide about its amount. */
export default function PushPlanPage() {
  const { t } = useTranslation('console');
  const products = useAll('/admin/product/list');
  const operators = useAll('/admin/operator/list');
  const failed = [products, operators].find(({ isError }) => isError);
  return (
    <>
      <PageHead title={t('plans.push_title')} />
      {failed ? (
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      ) : products.data && operators.data ? (
        <Push products={products.data} operators={operators.data} />
      ) : (
        <SkeletonCards count={3} height="10rem" />
      )}
    </>
  );
}

type PushProps = { products: readonly Product[]; operators: readonly Operator[] };

function Push({ products, operators }: PushProps) {
  const [reviewed, setReviewed] = useState<PushValues | null>(null);
  const form = useForm<PushValues, unknown, PushValues>({
    resolver: zodResolver(pushSchema),
    defaultValues: { ...NO_VALUES, users: useLinkedUsers() },
  });
  const send = useSend('/admin/plan/push', { touches: [consoleKeys.list('/admin/plan/list')] });
  const again = () => {
    form.reset(NO_VALUES);
    setReviewed(null);
    send.reset();
  };
  const product = products.find(({ id }) => id === reviewed?.product_id);
  const operator = operators.find(({ id }) => id === reviewed?.operator_id);
  if (send.data && reviewed) {
    return <PushResult pushed={send.data.items} users={reviewed.users} onAgain={again} />;
  }
  if (reviewed && product) {
    return (
      <PushReview
        values={reviewed}
        product={product}
        operator={operator}
        error={send.error}
        isBusy={send.isPending}
        onBack={() => {
          send.reset();
          setReviewed(null);
        }}
        onPush={() => send.mutate(pushBody(reviewed))}
      />
    );
  }
  return (
    <FormProvider {...form}>
      <PushForm products={products} operators={operators} onReview={setReviewed} />
    </FormProvider>
  );
}

/** The user whose page led here, already among the recipients. */
function useLinkedUsers(): PushValues['users'] {
  const [params] = useSearchParams();
  const id = params.get('user');
  return id === null ? [] : [{ id, username: params.get('name') ?? id }];
}
