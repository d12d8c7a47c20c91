import { type QueryClient, useQuery } from '@tanstack/react-query';
import { ArrowUpFromLine, ChevronRight, CircleHelp, Plus } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { propertyQuery } from '@/domain/property';
import type { Property } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { Card, Row, Rows } from '@/ui/card';
import { cx } from '@/ui/cx';
import { HeroCaption, HeroPanel } from '@/ui/hero-panel';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { ErrorState, Skeleton } from '@/ui/states';
import { useOverlay } from '@/ui/use-overlay';
import { DepositSheet } from '../components/deposit-sheet';
import { StartUpSheet } from '../components/start-up-sheet';
import { WalletActions } from '../components/wallet-actions';
import { assetParts } from '../rules';
import styles from './wallet.module.css';

const PARTS_TO = {
  to_be_consumed: '/plan?status=putting',
  to_be_settled: '/plan?status=waiting_settlement',
  withdrawing: '/wallet/withdraw?view=records',
} as const;

export function prefetch(queryClient: QueryClient): Promise<unknown> {
  return queryClient.prefetchQuery(propertyQuery);
}

export default function WalletPage() {
  const { t } = useTranslation();
  const query = useQuery(propertyQuery);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const property = query.data;

  if (query.isError && !property) return <ErrorState error={query.error} onRetry={() => refetch()} />;
  return (
    <div className={stack.gap4}>
      <Hero property={property} />
      <WalletActions />
      <Card title={t('wallet.made_of')}>
        {property ? <Parts property={property} /> : <Skeleton height="8.75rem" />}
      </Card>
    </div>
  );
}

function Hero({ property }: { property: Property | undefined }) {
  const { t } = useTranslation();
  const deposit = useOverlay('deposit');
  return (
    <HeroPanel aria-label={t('wallet.total_assets')}>
      <HeroCaption>{t('wallet.total_assets')}</HeroCaption>
      <div className={styles.total}>
        {property ? (
          <Money value={property.total_assets} currency={property.currency} />
        ) : (
          <Skeleton width="60%" height="1.15em" />
        )}
      </div>
      <dl className={styles.available}>
        <dt>
          <Link className={styles.heroLink} to="/wallet/fund-details">
            {t('wallet.available_funds')}
            <ChevronRight size={16} aria-hidden="true" />
          </Link>
        </dt>
        <dd>
          {property ? <Money value={property.available_funds} /> : <Skeleton width="7rem" height="1.45em" />}
        </dd>
      </dl>
      <div className={styles.main}>
        <button type="button" className={styles.mainAction} onClick={deposit.open}>
          <Plus size={20} aria-hidden="true" />
          {t('wallet.deposit')}
        </button>
        <Link className={cx(styles.mainAction, styles.second)} to="/wallet/withdraw">
          <ArrowUpFromLine size={20} aria-hidden="true" />
          {t('title.withdraw')}
        </Link>
      </div>
      <DepositSheet isOpen={deposit.isOpen} onClose={deposit.close} />
    </HeroPanel>
  );
}

function Parts({ property }: { property: Property }) {
  const { t } = useTranslation();
  const startUp = useOverlay('start-up');
  return (
    <>
      <Rows>
        {assetParts(property).map(({ key, value }) => (
          <Row
            key={key}
            label={
              <Link className={styles.linkRow} to={PARTS_TO[key]}>
                {t(`wallet.${key}`)}
                <ChevronRight size={16} aria-hidden="true" />
              </Link>
            }
          >
            <Money value={value} />
          </Row>
        ))}
        <Row
          label={
            <Link className={styles.linkRow} to="/wallet/fund-details?type=discount_amount">
              {t('wallet.discount_amount')}
              <ChevronRight size={16} aria-hidden="true" />
            </Link>
          }
        >
          <Money value={property.discount_amount} />
        </Row>
        {signOf(property.start_up_funds_outstanding) === 0 ? null : (
          <Row
            label={
              <button type="button" className={styles.linkRow} onClick={startUp.open}>
                {t('wallet.start_up_funds_outstanding')}
                <CircleHelp size={16} aria-hidden="true" />
              </button>
            }
          >
            <Money value={property.start_up_funds_outstanding} />
          </Row>
        )}
        {signOf(property.guarantee) === 0 ? null : (
          <Row
            label={
              <Link className={styles.linkRow} to="/wallet/fund-details?type=guarantee">
                {t('wallet.guarantee')}
                <ChevronRight size={16} aria-hidden="true" />
              </Link>
            }
          >
            <Money value={property.guarantee} />
          </Row>
        )}
      </Rows>
      <StartUpSheet property={property} isOpen={startUp.isOpen} onClose={startUp.close} />
    </>
  );
}
