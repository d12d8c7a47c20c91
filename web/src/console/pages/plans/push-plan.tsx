import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useIntentionKey } from '@/lib/idempotency';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { staffPost } from '../../api/call';
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
  const queryClient = useQueryClient();
  const key = useIntentionKey();
  const [reviewed, setReviewed] = useState<PushValues | null>(null);
  const form = useForm<PushValues, unknown, PushValues>({
    resolver: zodResolver(pushSchema),
    defaultValues: NO_VALUES,
  });
  const send = useMutation({
    mutationFn: (values: PushValues) => {
      const body = pushBody(values);
      return staffPost('/admin/plan/push', body, { idempotencyKey: key.for(body) });
    },
    onSettled: (_answer, error) => {
      key.settle(error);
      for (const path of ['/admin/plan/list', '/admin/audit/list'] as const)
        void queryClient.invalidateQueries({ queryKey: consoleKeys.list(path) });
    },
  });
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
        onPush={() => send.mutate(reviewed)}
      />
    );
  }
  return (
    <FormProvider {...form}>
      <PushForm products={products} operators={operators} onReview={setReviewed} />
    </FormProvider>
  );
}
