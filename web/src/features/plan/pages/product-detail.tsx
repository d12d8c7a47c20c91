import { useQuery } from '@tanstack/react-query';
import { PackageOpen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { PlanDetail, ProductDetail } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Card, Row, Rows } from '@/ui/card';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { useOverlay } from '@/ui/use-overlay';
import { planQuery, productQuery } from '../api/queries';
import { useAudienceText } from '../components/audience-text';
import { ProductIcon } from '../components/product-icon';
import { PutForm, REVIEW } from '../components/put-form';
import { detailPath, hueOf, isPushed } from '../rules';
import styles from './product-detail.module.css';

export default function ProductDetailPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const id = query.get('id') ?? '';
  const planId = query.get('plan');
  const product = useQuery({ ...productQuery(id), enabled: id !== '' });
  // A pushed plan starts with its proposed amount.
  const plan = useQuery({ ...planQuery(planId ?? ''), enabled: planId !== null });
  // An open review stays. If its plan has gone, the server reports it.
  const isReviewed = useOverlay(REVIEW).isOpen;
  usePageHeader({ title: product.data?.name });

  if (id === '') {
    return (
      <EmptyState
        icon={<PackageOpen size={28} />}
        title={t('product.not_found')}
        action={<LinkButton to="/plan?products=open">{t('product.choose')}</LinkButton>}
      />
    );
  }
  const failed = product.isError && !product.data ? product : plan.isError && !plan.data ? plan : null;
  if (failed) return <ErrorState error={failed.error} onRetry={() => failed.refetch()} />;
  if (!product.data || (planId !== null && !plan.data)) return <SkeletonCards height="11rem" />;
  return (
    <div className={stack.gap4}>
      <ProductHead product={product.data} />
      {plan.data && !isPushed(plan.data) && !isReviewed ? (
        <PlanGone plan={plan.data} />
      ) : (
        <PutForm product={product.data} plan={plan.data ?? null} />
      )}
      <ProductFacts product={product.data} />
    </div>
  );
}

/** Shown when the pushed plan has been placed or has expired. Never places another order in its stead. */
function PlanGone({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  return (
    <Card title={t('put.title_pushed')}>
      <div className={stack.gap3}>
        <p>{t('plan.gone')}</p>
        <LinkButton wide to={detailPath(plan)}>
          {t('plan.see')}
        </LinkButton>
        <LinkButton
          wide
          replace
          tone="quiet"
          to={`/plan/goods-detail?id=${encodeURIComponent(plan.product.id)}`}
        >
          {t('plan.new')}
        </LinkButton>
      </div>
    </Card>
  );
}

function ProductHead({ product }: { product: ProductDetail }) {
  return (
    <>
      <div
        className={styles.cover}
        style={{ '--hue': String(hueOf(product.name)) } as Record<string, string>}
      >
        {product.cover_url ? <img src={product.cover_url} alt="" /> : null}
      </div>
      <div className={styles.title}>
        <ProductIcon name={product.name} url={product.icon_url} large />
        <div>
          <h1>{product.name}</h1>
          <p className={styles.category}>{product.category}</p>
        </div>
      </div>
      {product.description ? <p className={styles.text}>{product.description}</p> : null}
    </>
  );
}

function ProductFacts({ product }: { product: ProductDetail }) {
  const { t } = useTranslation();
  const { money, list } = useFormats();
  const audienceText = useAudienceText();
  return (
    <Card title={t('product.about')}>
      {product.game_description ? <p className={styles.text}>{product.game_description}</p> : null}
      <Rows>
        <Row label={t('product.put_range')}>
          {t('product.range', { min: money(product.put_min), max: money(product.put_max) })}
        </Row>
        <Row label={t('product.content_types')}>
          {list(product.content_types.map((type) => t(`product.content.${type}`)))}
        </Row>
        <Row text label={t('product.audience')}>
          {audienceText(product.audience)}
        </Row>
      </Rows>
    </Card>
  );
}
