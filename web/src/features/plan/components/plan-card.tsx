import { ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Plan } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Badge, Progress } from '@/ui/card';
import { Money } from '@/ui/money';
import { detailPath, hasCouponShare, isPushed, putPath } from '../rules';
import styles from './plan-card.module.css';
import { ProductIcon } from './product-icon';
import { StatusBadge } from './status-badge';

export function PlanCard({ plan }: { plan: Plan }) {
  const { t } = useTranslation();
  const { moment, wholePercent } = useFormats();
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <ProductIcon name={plan.product.name} url={plan.product.icon_url} />
        <div>
          <h2 className={styles.name}>
            <Link to={detailPath(plan)}>{plan.product.name}</Link>
          </h2>
          <p className={styles.number}>{plan.plan_number}</p>
        </div>
        <ChevronRight className={styles.arrow} size={20} aria-hidden="true" />
      </div>
      <div className={styles.badges}>
        <StatusBadge status={plan.status} />
        {plan.official ? <Badge>{t('plan.official')}</Badge> : null}
        {plan.estimated ? <Badge tone="warning">{t('plan.estimated')}</Badge> : null}
        <time className={styles.time} dateTime={plan.create_time}>
          {moment(plan.create_time)}
        </time>
      </div>
      {isPushed(plan) ? null : (
        <div className={styles.progressRow}>
          <Progress percent={plan.put_progress} label={t('plan.put_progress')} />
          <span className="figure">{wholePercent(plan.put_progress)}</span>
        </div>
      )}
      {plan.end_time ? (
        <p className={styles.until}>{t('plan.until', { time: moment(plan.end_time) })}</p>
      ) : null}
      {isPushed(plan) ? (
        <Pushed plan={plan} />
      ) : (
        <dl className={styles.figures}>
          <Figure label={t('plan.put_amount')} value={plan.put_amount} />
          <Figure label={t('figure.revenue')} value={plan.revenue} />
          <Figure label={t('figure.consumed')} value={plan.consumed} />
          {hasCouponShare(plan) ? <Figure label={t('plan.coupon_share')} value={plan.coupon_share} /> : null}
          <Figure label={t('plan.result')} value={plan.result} signed="result" />
        </dl>
      )}
    </li>
  );
}

/** An operator's proposal with its expiry and a button to accept it. */
function Pushed({ plan }: { plan: Plan }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  return (
    <>
      <dl className={styles.figures}>
        <Figure label={t('plan.proposed_amount')} value={plan.put_amount} />
        {plan.expire_time ? (
          <div>
            <dt>{t('plan.expire_time')}</dt>
            <dd>
              <time dateTime={plan.expire_time}>{moment(plan.expire_time)}</time>
            </dd>
          </div>
        ) : null}
      </dl>
      <LinkButton
        wide
        className={styles.put}
        to={putPath(plan)}
        aria-label={t('plan.put_named', { name: plan.product.name })}
      >
        {t('plan.put')}
      </LinkButton>
    </>
  );
}

function Figure({ label, value, signed }: { label: string; value: string; signed?: 'result' }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Money value={value} {...(signed ? { signed } : {})} />
      </dd>
    </div>
  );
}
