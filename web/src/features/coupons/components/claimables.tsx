import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useRequirementText } from '@/domain/coupon/coupon-terms';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import { useFormats } from '@/i18n/format';
import type { Claimable } from '@/lib/api/types';
import { useIntentionKey } from '@/lib/idempotency';
import { Button } from '@/ui/button';
import { Badge } from '@/ui/card';
import { Section } from '@/ui/section';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useClaimCoupon } from '../api/queries';
import { expiresSoon, unclaimedFirst } from '../rules';
import styles from './claimables.module.css';
import { Ticket, TicketFoot, TicketNote } from './ticket';

type ListProps = { items: readonly Claimable[]; title?: string };

/** Campaigns with a coupon to claim. */
export function Claimables({ items, title }: ListProps) {
  const { t } = useTranslation();
  if (items.length === 0) return null;
  return (
    <Section title={title ?? t('coupon.claimable')}>
      <ul className={stack.gap3}>
        {unclaimedFirst(items).map((item) => (
          <ClaimableTicket key={item.campaign_id} item={item} />
        ))}
      </ul>
    </Section>
  );
}

const WORDS = {
  claim: {
    open: 'coupon.claim',
    openNamed: 'coupon.claim_named',
    done: 'coupon.claimed',
    doneNamed: 'coupon.claimed_named',
  },
  receive: {
    open: 'activities.receive',
    openNamed: 'activities.receive_named',
    done: 'activities.received',
    doneNamed: 'activities.received_named',
  },
} as const;

type TicketProps = { item: Claimable; words?: keyof typeof WORDS; note?: string };

export function ClaimableTicket({ item, words = 'claim', note }: TicketProps) {
  const { t } = useTranslation();
  const { open, openNamed, done, doneNamed } = WORDS[words];
  const { list, moment } = useFormats();
  const valueText = useCouponValue();
  const requirementText = useRequirementText();
  const claim = useClaimCoupon(() => toast(t('coupon.claimed_success')));
  const key = useIntentionKey();
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const onClaim = () => {
    if (running.current) return;
    running.current = true;
    claim.mutate(
      { campaignId: item.campaign_id, key: key.for(item.campaign_id) },
      {
        onSettled: (_coupon, error) => {
          running.current = false;
          key.settle(error);
        },
      },
    );
  };
  return (
    <Ticket value={valueText(item)} mode={t(`coupon.mode.${item.mode}`)} name={item.name}>
      <TicketNote>{t(`coupon.type.${item.type}`)}</TicketNote>
      <TicketNote>{list([requirementText(item), ...(note ? [note] : [])])}</TicketNote>
      <TicketNote>{t('coupon.valid_days', { count: item.valid_days })}</TicketNote>
      {item.ends_at && !item.claimed ? (
        <TicketNote isUrgent={expiresSoon(item.ends_at, new Date())}>
          {t('coupon.claim_until', { date: moment(item.ends_at) })}
        </TicketNote>
      ) : null}
      <TicketFoot>
        <Badge tone="brand">{t(`coupon.kind.${item.kind}`)}</Badge>
        <Button
          className={styles.claim}
          tone={item.claimed ? 'quiet' : 'primary'}
          disabled={item.claimed}
          busy={claim.isPending}
          onClick={onClaim}
          aria-label={t(item.claimed ? doneNamed : openNamed, { name: item.name })}
        >
          {t(item.claimed ? done : open)}
        </Button>
      </TicketFoot>
    </Ticket>
  );
}
