import { useTranslation } from 'react-i18next';
import { toMinor } from '@/lib/money';
import { ActButton, type Offered } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import { FinishPlan } from './finish-plan';
import type { StaffPlanDetail } from './plan-status';
import { SettlePlan } from './settle-plan';

/** What staff can do with a plan in its state. A plan that has consumed or earned something can no longer fail. */
export function PlanActs({ plan }: { plan: StaffPlanDetail }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const delivers = plan.status === 'matching' || plan.status === 'putting';
  const isUntouched = toMinor(plan.consumed) === 0n && toMinor(plan.revenue) === 0n;
  const mayFinish = may('POST /admin/plan/finish') && delivers;
  const maySettle =
    may('POST /admin/plan/settle') &&
    (plan.status === 'put_finished' || plan.status === 'waiting_settlement');
  const offered: (Offered | false)[] = [
    mayFinish && {
      id: 'finish',
      label: t('plans.finish'),
      dialog: (close) => <FinishPlan plan={plan} outcome="put_finished" onClose={close} />,
    },
    mayFinish &&
      isUntouched && {
        id: 'fail',
        label: t('plans.fail'),
        dialog: (close) => <FinishPlan plan={plan} outcome="put_failed" onClose={close} />,
      },
    maySettle && {
      id: 'settle',
      label: t('plans.settle'),
      dialog: (close) => <SettlePlan plan={plan} onClose={close} />,
    },
  ];
  return offered.map((act, index) =>
    act ? <ActButton key={act.id} offered={act} quiet={index !== 2} /> : null,
  );
}
