import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { UserLink } from '../../ui/user-link';
import type { StaffPlanDetail } from './plan-status';
import { touchesOf } from './plan-touches';
import { settlementOf } from './settlement';

type Props = { plan: StaffPlanDetail; onClose: () => void };

/** Settles a plan before its time, which takes two members of staff. */
export function SettlePlan({ plan, onClose }: Props) {
  const { t } = useTranslation('console');
  const number = plan.plan_number;
  const { paidOut, platformShare, backToWallet, backToCoupon } = settlementOf(plan);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/plan/settle',
        item: { kind: 'plan', id: plan.id },
        secondPerson: 'same_act',
        title: t('plans.settle_title', { number }),
        submit: t('plans.settle'),
        intro: (
          <div className={stack.gap4}>
            <p>{t('plans.settle_text')}</p>
            <Facts
              facts={[
                { label: t('plans.user'), value: <UserLink id={plan.user.id} name={plan.user.username} /> },
                { label: t('plans.put_amount'), value: <Amount value={plan.put_amount} /> },
                { label: t('plans.consumed'), value: <Amount value={plan.consumed} /> },
                { label: t('plans.revenue'), value: <Amount value={plan.revenue} /> },
                { label: t('plans.profit'), value: <Amount value={plan.profit} signed /> },
                { label: t('plans.coupon_share'), value: <Amount value={plan.coupon_share} /> },
              ]}
            />
          </div>
        ),
        schema: z.object({}),
        initial: {},
        fields: null,
        changes: () => [
          {
            what: t('plans.status'),
            before: t(`plans.statuses.${plan.status}`),
            after: t('plans.statuses.settled'),
          },
          { what: t('plans.paid_out'), before: null, after: <Amount value={paidOut} /> },
          { what: t('plans.platform_share'), before: null, after: <Amount value={platformShare} /> },
          { what: t('plans.back_to_wallet'), before: null, after: <Amount value={backToWallet} /> },
          { what: t('plans.back_to_coupon'), before: null, after: <Amount value={backToCoupon} /> },
          { what: t('plans.result'), before: null, after: <Amount value={plan.result} signed /> },
        ],
        body: () => ({ id: plan.id }),
        done: () => ({
          text: t('plans.settle_done', { number }),
          links: [{ label: t('plans.see_user'), to: `/users/${plan.user.id}` }],
        }),
        touches: touchesOf(plan.id, plan.user.id),
      }}
    />
  );
}
