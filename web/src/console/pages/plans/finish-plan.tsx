import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { Amount } from '../../ui/amount';
import type { StaffPlanDetail } from './plan-status';
import { touchesOf } from './plan-touches';

type Props = { plan: StaffPlanDetail; outcome: 'put_finished' | 'put_failed'; onClose: () => void };

/** Ends the delivery of a plan: it goes on to its settlement, or it has failed and all of its money goes back. */
export function FinishPlan({ plan, outcome, onClose }: Props) {
  const { t } = useTranslation('console');
  const fails = outcome === 'put_failed';
  const number = plan.plan_number;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/plan/finish',
        item: { kind: 'plan', id: plan.id },
        title: t(fails ? 'plans.fail_title' : 'plans.finish_title', { number }),
        submit: t(fails ? 'plans.fail' : 'plans.finish'),
        tone: 'danger',
        intro: <p>{t(fails ? 'plans.fail_text' : 'plans.finish_text')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('plans.status'),
            before: t(`plans.statuses.${plan.status}`),
            after: t(`plans.statuses.${outcome}`),
          },
          ...(fails
            ? [
                {
                  what: t('plans.back_to_wallet'),
                  before: null,
                  after: <Amount value={plan.paid_amount} />,
                },
                {
                  what: t('plans.coupon_back'),
                  before: null,
                  after: <Amount value={plan.discount_amount} />,
                },
              ]
            : [
                { what: t('plans.stays_consumed'), before: null, after: <Amount value={plan.consumed} /> },
                {
                  what: t('plans.stays_unused'),
                  before: null,
                  after: <Amount value={plan.to_be_consumed} />,
                },
              ]),
        ],
        body: ({ reason }) => ({ id: plan.id, outcome, reason }),
        done: () => ({
          text: t(fails ? 'plans.fail_done' : 'plans.finish_done', { number }),
          links: [{ label: t('plans.see_user'), to: `/users/${plan.user.id}` }],
        }),
        touches: touchesOf(plan.id, plan.user.id),
      }}
    />
  );
}
