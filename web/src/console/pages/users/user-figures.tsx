import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Property } from '@/lib/api/types';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';

const FIGURES = [
  'total_assets',
  'available_funds',
  'to_be_consumed',
  'to_be_settled',
  'withdrawing',
  'guarantee',
  'discount_amount',
  'start_up_funds_outstanding',
] as const;

/** What the wallet holds, with what each figure means and what keeps money from leaving. */
export function UserFigures({ property }: { property: Property }) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  const figures = FIGURES.map((name) => ({
    label: t(`users.figure.${name}`),
    value: <Amount value={property[name]} />,
    note: t(`users.meaning.${name}`),
  }));
  const blocked = property.withdraw_blocked_by;
  return (
    <Facts
      facts={[
        ...figures,
        {
          label: t('users.frozen'),
          value: property.frozen_at === null ? t('users.no') : <Moment at={property.frozen_at} />,
        },
        {
          label: t('users.blocked_by'),
          value: blocked.length === 0 ? t('users.nothing') : <span className="mono">{list(blocked)}</span>,
        },
        {
          label: t('users.withdrawal_from'),
          value: <Moment at={property.withdrawal_available_at} />,
        },
      ]}
    />
  );
}
