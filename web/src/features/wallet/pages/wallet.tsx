import { type QueryClient, useQuery } from '@tanstack/react-query';
import { ArrowUpFromLine, ChevronRight, Plus } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Deposit } from '@/domain/deposit/deposit';
import { propertyQuery } from '@/domain/property';
import { StartUpSheet } from '@/domain/start-up/start-up-sheet';
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
import { WalletActions } from '../components/wallet-actions';
import { assetParts, fundsPath, partPath } from '../rules';
import styles from './wallet.module.css';

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
    <div className={stack.columns}>
      <div className={stack.gap4}>
        <Hero property={property} />
        <WalletActions />
      </div>
      <Card
        title={t('wallet.made_of')}
        action={<span className={styles.currency}>{property?.currency}</span>}
      >
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
          <Link className={styles.heroLink} to={fundsPath('available')}>
            {t('wallet.available_funds')}
            <ChevronRight size={16} aria-hidden="true" />
          </Link>
        </dt>
        <dd>
          {property ? <Money value={property.available_funds} /> : <Skeleton width="7rem" height="1.45em" />}
        </dd>
      </dl>
      {property ? <Lent property={property} /> : null}
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
      <Deposit isOpen={deposit.isOpen} onClose={deposit.close} />
    </HeroPanel>
  );
}

/** Start-up funds, which are not the user's own. */
function Lent({ property }: { property: Property }) {
  const { t } = useTranslation();
  const sheet = useOverlay('start-up');
  const { start_up_funds_outstanding: outstanding, start_up_funds_returnable: isReturnable } = property;
  return (
    <>
      {signOf(outstanding) === 0 ? null : (
        <div className={styles.lent}>
          <dl>
            <dt>{t('wallet.lent')}</dt>
            <dd>
              <Money value={outstanding} />
            </dd>
          </dl>
          <button type="button" className={cx(styles.mainAction, styles.second)} onClick={sheet.open}>
            {t(isReturnable ? 'wallet.start_up_return' : 'wallet.start_up_service')}
          </button>
        </div>
      )}
      <StartUpSheet property={property} isOpen={sheet.isOpen} onClose={sheet.close} />
    </>
  );
}

function Parts({ property }: { property: Property }) {
  const { t } = useTranslation();
  return (
    <Rows>
      {assetParts(property).map(({ key, value }) => (
        <Row
          key={key}
          label={
            <Link className={styles.linkRow} to={partPath(key)}>
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
          <Link className={styles.linkRow} to={fundsPath('to_be_consumed', { type: 'discount_amount' })}>
            {t('wallet.discount_amount')}
            <ChevronRight size={16} aria-hidden="true" />
          </Link>
        }
      >
        <Money value={property.discount_amount} />
      </Row>
      {signOf(property.guarantee) === 0 ? null : (
        <Row
          label={
            <Link className={styles.linkRow} to={fundsPath('available', { type: 'guarantee' })}>
              {t('wallet.guarantee')}
              <ChevronRight size={16} aria-hidden="true" />
            </Link>
          }
        >
          <Money value={property.guarantee} />
        </Row>
      )}
    </Rows>
  );
}
