import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Select } from '@/ui/select';
import { useMay } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { useUserRows } from './use-user-rows';
import { UserRows } from './user-rows';

type Coupon = components['schemas']['Coupon'];

const STATES = ['unused', 'used', 'expired'] as const;

/** A user's coupons of one state; nothing for roles that may not read them. */
export function UserCoupons({ userId }: { userId: string }) {
  const may = useMay();
  return may('GET /admin/user/coupons') ? <Coupons userId={userId} /> : null;
}

function Coupons({ userId }: { userId: string }) {
  const { t } = useTranslation('console');
  const [state, setState] = useState<Coupon['state']>('unused');
  const rows = useUserRows('/admin/user/coupons', { user_id: userId, state });
  return (
    <Panel title={t('users.coupons')}>
      <Select
        label={t('users.coupon_state')}
        value={state}
        options={STATES.map((value) => ({ value, label: t(`users.coupon_states.${value}`) }))}
        onChange={(value) => setState(STATES.find((known) => known === value) ?? state)}
      />
      <UserRows
        label={t('users.coupons')}
        rows={rows}
        rowKey={({ id }) => id}
        empty={t('users.no_coupons')}
        columns={[
          { id: 'name', header: t('campaigns.name'), cell: ({ name }) => name },
          { id: 'value', header: t('campaigns.value'), cell: (coupon) => <Value coupon={coupon} /> },
          {
            id: 'requirement',
            header: t('campaigns.requirement'),
            align: 'end',
            cell: (coupon) => <Amount value={coupon.amount_requirement} />,
          },
          {
            id: 'until',
            header: t('users.coupon_until'),
            cell: (coupon) => <Moment at={coupon.expires_at} />,
          },
          { id: 'used', header: t('users.coupon_used'), cell: (coupon) => <Used coupon={coupon} /> },
        ]}
      />
    </Panel>
  );
}

function Value({ coupon: { mode, value } }: { coupon: Coupon }) {
  const { t } = useTranslation('console');
  const { money } = useFormats();
  return t(`campaigns.values.${mode}`, { value: mode === 'discount' ? value : money(value) });
}

/** When it was used, with the way to the plan. */
function Used({ coupon: { used_at: at, plan_id: plan } }: { coupon: Coupon }) {
  return plan === null ? (
    <Moment at={at} />
  ) : (
    <Link to={`/plans/${plan}`}>
      <Moment at={at} />
    </Link>
  );
}
