import { ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useSourceText } from '@/domain/delivery/source-text';
import { useService } from '@/domain/service/service-store';
import { useFormats } from '@/i18n/format';
import type { PlanDetail } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { Button } from '@/ui/button';
import { Card, Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import { reportsPath } from '../reports';
import { isPushed } from '../rules';
import { useAudienceText } from './audience-text';
import styles from './plan-facts.module.css';

/** What was ordered and how it was paid for. */
export function PlanFacts({ plan }: { plan: PlanDetail }) {
  const { t } = useTranslation();
  const { dateTime, list } = useFormats();
  const audienceText = useAudienceText();
  const sourceText = useSourceText();
  const service = useService();
  const subject = `${plan.product.name} ${plan.plan_number}`;
  const discounted = signOf(plan.discount_amount) > 0;
  return (
    <Card title={t('plan.facts')}>
      <Rows>
        {isPushed(plan) ? null : (
          <Row label={t('plan.paid_amount')}>
            <Money value={plan.paid_amount} />
          </Row>
        )}
        {discounted ? (
          <Row label={plan.coupon?.name ?? t('plan.discount_amount')}>
            <Money value={plan.discount_amount} />
          </Row>
        ) : null}
        {plan.put_content ? (
          <Row text label={t('plan.put_content')}>
            {plan.put_content}
          </Row>
        ) : null}
        {plan.put_rule ? (
          <Row text label={t('plan.put_rule')}>
            {plan.put_rule}
          </Row>
        ) : null}
        <Row text label={t('plan.user_targeting')}>
          {audienceText(plan.user_targeting)}
        </Row>
        {plan.sources.length > 0 ? (
          <Row
            label={
              <Link className={styles.link} to={reportsPath(plan)}>
                {t('plan.sources')}
                <ChevronRight size={16} aria-hidden="true" />
              </Link>
            }
          >
            {list(plan.sources.map(sourceText))}
          </Row>
        ) : null}
        <Row label={t('plan.create_time')}>{dateTime(plan.create_time)}</Row>
      </Rows>
      {plan.estimated ? <p className={styles.note}>{t('plan.estimated_text')}</p> : null}
      <Button tone="quiet" wide onClick={() => service.open({ subject })}>
        {t('help.contact')}
      </Button>
    </Card>
  );
}
