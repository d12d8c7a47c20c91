import { ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { PlanDetail } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { Button, LinkButton } from '@/ui/button';
import { Badge, Card, Progress } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { Money } from '@/ui/money';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { reportsPath } from '../reports';
import { hasCouponShare, isPushed, putPath } from '../rules';
import { Figure, Figures } from './figures';
import styles from './plan-summary.module.css';
import { ProductIcon } from './product-icon';
import { StatusBadge } from './status-badge';

export function PlanSummary({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  return (
    <Card>
      <div className={styles.head}>
        <ProductIcon name={plan.product.name} url={plan.product.icon_url} large />
        <div>
          <h2 className={styles.name}>{plan.product.name}</h2>
          <p className={styles.number}>
            {plan.plan_number}
            <CopyButton text={plan.plan_number} label={t('plan.copy_number')} />
          </p>
          <p className={styles.badges}>
            <StatusBadge status={plan.status} />
            {plan.official ? <Badge>{t('plan.official')}</Badge> : null}
            {plan.estimated ? <Badge tone="warning">{t('plan.estimated')}</Badge> : null}
          </p>
        </div>
      </div>
      {plan.status === 'put_failed' ? (
        <div className={styles.failed}>
          {plan.fail_reason ? <p>{plan.fail_reason}</p> : null}
          {signOf(plan.paid_amount) > 0 ? (
            <p className={styles.consequence}>{t('plan.failed_text')}</p>
          ) : null}
        </div>
      ) : null}
      {plan.no_supply_since ? <NoSupply plan={plan} since={plan.no_supply_since} /> : null}
      {plan.status === 'matching' ? <Matching plan={plan} /> : null}
      {isPushed(plan) ? <Proposal plan={plan} /> : <Delivery plan={plan} />}
    </Card>
  );
}

/** Why nothing happens, and that nothing is lost. */
function NoSupply({ plan, since }: { plan: PlanDetail; since: string }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  return (
    <div className={styles.noSupply}>
      <p className={styles.noSupplyTitle}>{t('plan.no_supply', { time: dateTime(since) })}</p>
      <p>{t(plan.status === 'matching' ? 'plan.no_supply_matching' : 'plan.no_supply_putting')}</p>
    </div>
  );
}

const loadCancelSheet = () => import('./cancel-sheet');

/** When matching ends, and the way out until then. */
function Matching({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const cancel = useOverlay('cancel-plan');
  const CancelSheet = usePart(loadCancelSheet, cancel.isOpen, cancel.close);
  return (
    <div className={styles.matching}>
      <p>{t('plan.matching_text')}</p>
      {plan.end_time ? <p>{t('plan.matching_until', { time: dateTime(plan.end_time) })}</p> : null}
      <Button tone="secondary" wide onClick={cancel.open}>
        {t('plan.cancel')}
      </Button>
      {cancel.isOpen && CancelSheet ? <CancelSheet plan={plan} onClose={cancel.close} /> : null}
    </div>
  );
}

/** A plan's results so far, as a link to the reports that they come from. */
function Delivery({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  return (
    <div className={styles.reported}>
      <PutProgress plan={plan} />
      <Figures>
        <Figure label={t('plan.put_amount')}>
          <Money value={plan.put_amount} />
        </Figure>
        <Figure label={t('figure.to_be_consumed')}>
          <Money value={plan.to_be_consumed} />
        </Figure>
        <Figure label={t('figure.revenue')}>
          <Money value={plan.revenue} />
        </Figure>
        <Figure label={t('figure.consumed')}>
          <Money value={plan.consumed} />
        </Figure>
        {hasCouponShare(plan) ? (
          <Figure label={t('plan.coupon_share')}>
            <Money value={plan.coupon_share} />
          </Figure>
        ) : null}
        <Figure label={t('plan.result')}>
          <Money value={plan.result} signed="result" />
        </Figure>
        <Figure label={t('figure.impressions')}>
          <span className="figure">{integer(plan.impressions)}</span>
        </Figure>
        <Figure label={t('figure.clicks')}>
          <span className="figure">{integer(plan.clicks)}</span>
        </Figure>
      </Figures>
      <Link className={styles.reports} to={reportsPath(plan)}>
        {t('title.reports')}
        <ChevronRight size={18} aria-hidden="true" />
      </Link>
    </div>
  );
}

/** An operator's proposal with its expiry. */
function Proposal({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  return (
    <>
      <Figures>
        <Figure label={t('plan.proposed_amount')}>
          <Money value={plan.put_amount} />
        </Figure>
        {plan.expire_time ? (
          <Figure label={t('plan.expire_time')}>
            <time dateTime={plan.expire_time}>{dateTime(plan.expire_time)}</time>
          </Figure>
        ) : null}
      </Figures>
      <div className={styles.callout}>
        <p>{t('plan.waiting_text')}</p>
        <LinkButton large wide to={putPath(plan)}>
          {t('plan.put_now')}
        </LinkButton>
      </div>
    </>
  );
}

function PutProgress({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  const { dateTime, money, wholePercent } = useFormats();
  return (
    <div className={styles.progress}>
      <Progress percent={plan.put_progress} label={t('plan.put_progress')} />
      <p className={styles.progressText}>
        <span>
          {t('plan.consumed_of', { consumed: money(plan.consumed), amount: money(plan.put_amount) })}
        </span>
        <span className="figure">{wholePercent(plan.put_progress)}</span>
      </p>
      {plan.status === 'putting' && plan.end_time ? (
        <p className={styles.until}>{t('plan.delivery_until', { time: dateTime(plan.end_time) })}</p>
      ) : null}
    </div>
  );
}
