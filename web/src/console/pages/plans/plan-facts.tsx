import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { CopyableCode } from '@/ui/copyable-code';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { type Fact, Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { UserLink } from '../../ui/user-link';
import { AudienceText } from './audience';
import { Marks } from './plan-columns';
import { PlanStatus, type StaffPlanDetail } from './plan-status';

type Props = { plan: StaffPlanDetail };

/** The plan's user, product, audience and times. */
export function PlanFacts({ plan }: Props) {
  const { t } = useTranslation('console');
  const isOpen = plan.end_time !== null;
  const facts: (Fact | null)[] = [
    {
      label: t('plans.status'),
      value: <PlanStatus status={plan.status} />,
      note: t(`plans.status_notes.${plan.status}`),
    },
    { label: t('plans.user'), value: <UserLink id={plan.user.id} name={plan.user.username} /> },
    { label: t('plans.product'), value: plan.product.name },
    {
      label: t('plans.origin'),
      value: t(plan.official ? 'plans.origins.official' : 'plans.origins.non_official'),
      note: plan.official ? t('plans.official_note') : undefined,
    },
    { label: t('plans.put_content'), value: plan.put_content || t('list.none') },
    { label: t('plans.put_rule'), value: plan.put_rule || t('list.none') },
    { label: t('plans.audience'), value: <AudienceText audience={plan.user_targeting} /> },
    {
      label: t('plans.sources'),
      value: plan.sources.join(', ') || t('list.none'),
      note: plan.estimated ? t('plans.estimated_note') : undefined,
    },
    plan.fail_reason === null ? null : { label: t('plans.fail_reason'), value: plan.fail_reason },
    { label: t('plans.create_time'), value: <Moment at={plan.create_time} /> },
    plan.expire_time === null
      ? null
      : {
          label: t('plans.expire_time'),
          value: <Moment at={plan.expire_time} />,
          note: t('plans.expire_note'),
        },
    { label: t('plans.put_time'), value: <Moment at={plan.put_time} /> },
    isOpen
      ? { label: t('plans.end_time'), value: <Moment at={plan.end_time} />, note: t('plans.end_note') }
      : { label: t('plans.finish_time'), value: <Moment at={plan.finish_time} /> },
    { label: t('plans.settle_time'), value: <Moment at={plan.settle_time} /> },
    plan.no_supply_since === null
      ? null
      : {
          label: t('plans.no_supply_since'),
          value: <Moment at={plan.no_supply_since} />,
          note: t('plans.no_supply_note'),
        },
    {
      label: t('plans.id'),
      value: <CopyableCode text={plan.id} label={t('list.copy', { what: t('plans.id') })} />,
    },
  ];
  return (
    <Panel
      title={t('plans.facts')}
      actions={
        <div>
          <Marks plan={plan} />
        </div>
      }
    >
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Panel>
  );
}

/** What it has cost and brought, with what each figure means. */
export function PlanFigures({ plan }: Props) {
  const { t } = useTranslation('console');
  const { wholePercent } = useFormats();
  return (
    <Panel title={t('plans.figures')}>
      <Facts
        facts={[
          {
            label: t('plans.put_amount'),
            value: <Amount value={plan.put_amount} />,
            note: t('plans.notes.put_amount'),
          },
          {
            label: t('plans.paid_amount'),
            value: <Amount value={plan.paid_amount} />,
            note: t('plans.notes.paid_amount'),
          },
          {
            label: t('plans.discount_amount'),
            value: <Amount value={plan.discount_amount} />,
            note: plan.coupon?.name ?? t('plans.notes.no_coupon'),
          },
          { label: t('plans.impressions'), value: <Count value={plan.impressions} /> },
          { label: t('plans.clicks'), value: <Count value={plan.clicks} /> },
          {
            label: t('plans.progress'),
            value: wholePercent(plan.put_progress),
            note: t('plans.notes.progress'),
          },
          {
            label: t('plans.consumed'),
            value: <Amount value={plan.consumed} />,
            note: t('plans.notes.consumed'),
          },
          {
            label: t('plans.to_be_consumed'),
            value: <Amount value={plan.to_be_consumed} />,
            note: t('plans.notes.to_be_consumed'),
          },
          {
            label: t('plans.coupon_share'),
            value: <Amount value={plan.coupon_share} />,
            note: t('plans.notes.coupon_share'),
          },
          {
            label: t('plans.revenue'),
            value: <Amount value={plan.revenue} />,
            note: t('plans.notes.revenue'),
          },
          {
            label: t('plans.profit'),
            value: <Amount value={plan.profit} signed />,
            note: t('plans.notes.profit'),
          },
          {
            label: t('plans.result'),
            value: <Amount value={plan.result} signed />,
            note: t(plan.status === 'settled' ? 'plans.notes.result' : 'plans.notes.result_now'),
          },
        ]}
      />
    </Panel>
  );
}
