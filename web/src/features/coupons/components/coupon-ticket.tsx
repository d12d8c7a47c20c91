import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useRequirementText } from '@/domain/coupon/coupon-terms';
import { useCouponValue } from '@/domain/coupon/coupon-value';
import { useFormats } from '@/i18n/format';
import type { Coupon } from '@/lib/api/types';
import { expiresSoon } from '../rules';
import styles from './coupon-ticket.module.css';
import { Ticket, TicketFoot, TicketNote } from './ticket';

export function CouponTicket({ coupon }: { coupon: Coupon }) {
  const { t } = useTranslation();
  const valueText = useCouponValue();
  const requirementText = useRequirementText();
  return (
    <Ticket
      value={valueText(coupon)}
      mode={t(`coupon.mode.${coupon.mode}`)}
      name={coupon.name}
      isOver={coupon.state !== 'unused'}
    >
      <TicketNote>{t(`coupon.type.${coupon.type}`)}</TicketNote>
      <TicketNote>{requirementText(coupon)}</TicketNote>
      <Ending coupon={coupon} />
    </Ticket>
  );
}

function Ending({ coupon }: { coupon: Coupon }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  if (coupon.state === 'used') {
    return (
      <TicketFoot>
        {coupon.used_at ? (
          <TicketNote>{t('coupon.used_at', { date: date(coupon.used_at) })}</TicketNote>
        ) : null}
        {coupon.plan_id ? (
          <Link className={styles.link} to={`/plan/detail?id=${encodeURIComponent(coupon.plan_id)}`}>
            {t('coupon.see_plan')}
          </Link>
        ) : null}
      </TicketFoot>
    );
  }
  const soon = coupon.state === 'unused' && expiresSoon(coupon.expires_at, new Date());
  return (
    <TicketNote isUrgent={soon}>
      {t(coupon.state === 'expired' ? 'coupon.expired_at' : 'coupon.expires_at', {
        date: date(coupon.expires_at),
      })}
    </TicketNote>
  );
}
