import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { userInfoQuery } from '@/lib/data/user-info';
import { Badge, Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { ErrorState, Skeleton } from '@/ui/states';
import styles from '../pages/ad-center.module.css';

/** What the platform holds of the account itself. */
export function AccountCard() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const query = useQuery(userInfoQuery);
  const user = query.data;
  if (query.isError && !user) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return (
    <Card
      title={user ? user.nickname || user.username : t('ad_center.account')}
      action={user?.vip ? <Badge tone="brand">{t('ad_center.vip')}</Badge> : null}
    >
      <dl className={styles.account}>
        <div>
          <dt>{t('ad_center.credit_score')}</dt>
          <dd>{user ? integer(user.credit_score) : <Skeleton height="1.45em" />}</dd>
        </div>
        <div>
          <dt>{t('ad_center.shop_level')}</dt>
          <dd>{user ? integer(user.shop_level) : <Skeleton height="1.45em" />}</dd>
        </div>
        <div>
          <dt>{t('ad_center.deposit')}</dt>
          <dd>{user ? <Money value={user.deposit} /> : <Skeleton height="1.45em" />}</dd>
        </div>
      </dl>
    </Card>
  );
}
