import { useQuery } from '@tanstack/react-query';
import { CalendarRange, ChevronRight, HandCoins, ReceiptText, Ticket } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Property } from '@/lib/api/types';
import { propertyQuery } from '@/lib/data/property';
import { signOf } from '@/lib/money';
import { Card, Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import { ErrorState, Skeleton } from '@/ui/states';
import { useOverlay } from '@/ui/use-overlay';
import { DepositSheet } from '../components/deposit-sheet';
import { assetParts } from '../rules';
import styles from './wallet.module.css';

const PARTS_TO = {
  to_be_consumed: '/plan?status=putting',
  to_be_settled: '/plan?status=waiting_settlement',
  withdrawing: '/wallet/fund-details?type=manual_payout',
} as const;

export default function WalletPage() {
  const { t } = useTranslation();
  const query = useQuery(propertyQuery);
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const property = query.data;

  if (query.isError && !property) return <ErrorState error={query.error} onRetry={() => refetch()} />;
  return (
    <div className={styles.page}>
      <section className={styles.hero} aria-label={t('wallet.total_assets')}>
        <p className={styles.caption}>{t('wallet.total_assets')}</p>
        <div className={styles.total}>
          {property ? (
            <Money value={property.total_assets} currency={property.currency} />
          ) : (
            <Skeleton width="60%" height="1.15em" />
          )}
        </div>
        <dl className={styles.available}>
          <dt>{t('wallet.available_funds')}</dt>
          <dd>
            {property ? (
              <Money value={property.available_funds} />
            ) : (
              <Skeleton width="7rem" height="1.45em" />
            )}
          </dd>
        </dl>
      </section>
      <Actions />
      <Card title={t('wallet.made_of')}>
        {property ? <Parts property={property} /> : <Skeleton height="7.5rem" />}
      </Card>
    </div>
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
        <Row label={t('wallet.start_up_funds_outstanding')}>
          <Money value={property.start_up_funds_outstanding} />
        </Row>
      )}
    </Rows>
  );
}

function Actions() {
  const { t } = useTranslation();
  const deposit = useOverlay('deposit');
  return (
    <nav className={styles.actions} aria-label={t('wallet.actions')}>
      <button type="button" className={styles.action} onClick={deposit.open}>
        <span className={styles.bubble}>
          <HandCoins size={20} aria-hidden="true" />
        </span>
        {t('wallet.deposit')}
      </button>
      <Link className={styles.action} to="/wallet/fund-details">
        <span className={styles.bubble}>
          <ReceiptText size={20} aria-hidden="true" />
        </span>
        {t('title.fund_details')}
      </Link>
      <Link className={styles.action} to="/wallet/fund-details?view=monthly">
        <span className={styles.bubble}>
          <CalendarRange size={20} aria-hidden="true" />
        </span>
        {t('wallet.monthly')}
      </Link>
      <Link className={styles.action} to="/ad-center/coupons">
        <span className={styles.bubble}>
          <Ticket size={20} aria-hidden="true" />
        </span>
        {t('title.coupons')}
      </Link>
      <DepositSheet isOpen={deposit.isOpen} onClose={deposit.close} />
    </nav>
  );
}
