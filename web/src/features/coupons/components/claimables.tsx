import { useTranslation } from 'react-i18next';
import type { Claimable } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { Button } from '@/ui/button';
import { Badge } from '@/ui/card';
import { useCouponValue } from '@/ui/coupon/coupon-value';
import { toast } from '@/ui/toast';
import { useClaimCoupon } from '../api/queries';
import styles from '../pages/coupons.module.css';
import { unclaimedFirst } from '../rules';

/** The campaigns that the user may claim a coupon of. */
export function Claimables({ items }: { items: readonly Claimable[] }) {
  const { t } = useTranslation();
  if (items.length === 0) return null;
  return (
    <section aria-label={t('coupon.claimable')}>
      <h2 className={styles.heading}>{t('coupon.claimable')}</h2>
      <ul className={styles.list}>
        {unclaimedFirst(items).map((item) => (
          <ClaimableTicket key={item.campaign_id} item={item} />
        ))}
      </ul>
    </section>
  );
}

function ClaimableTicket({ item }: { item: Claimable }) {
  const { t } = useTranslation();
  const valueText = useCouponValue();
  const claim = useClaimCoupon();
  const key = useIntentionKey();
  const onClaim = () =>
    claim.mutate(
      { campaignId: item.campaign_id, key: key.for(item.campaign_id) },
      {
        onSuccess: () => toast(t('coupon.claimed_success')),
        onSettled: (_coupon, error) => key.settle(error),
      },
    );
  return (
    <li className={styles.ticket}>
      <div className={styles.stub}>
        <span className={styles.value}>{valueText(item)}</span>
        <span className={styles.mode}>{t(`coupon.mode.${item.mode}`)}</span>
      </div>
      <div className={styles.info}>
        <p className={styles.name}>{item.name}</p>
        <div className={styles.foot}>
          <Badge tone="brand">{t(`coupon.kind.${item.kind}`)}</Badge>
          <Button
            tone={item.claimed ? 'quiet' : 'primary'}
            disabled={item.claimed}
            busy={claim.isPending}
            onClick={onClaim}
            aria-label={t(item.claimed ? 'coupon.claimed_named' : 'coupon.claim_named', { name: item.name })}
          >
            {t(item.claimed ? 'coupon.claimed' : 'coupon.claim')}
          </Button>
        </div>
      </div>
    </li>
  );
}
