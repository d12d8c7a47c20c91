import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { usePriceText } from './prices';

const schema = z.object({ reason: optionalText(REASON_LIMIT) });

type Props = {
  placement: components['schemas']['Placement'];
  price: components['schemas']['PlacementPrice'];
  onClose: () => void;
};

/** Confirms the price that another member has proposed: the same call with the same values. */
export function ConfirmPrice({ placement, price, onClose }: Props) {
  const { t } = useTranslation('console');
  const textOf = usePriceText();
  const { model, cost, revenue, valid_from } = price;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/placement/price',
        title: t('supply.price.confirm_title'),
        submit: t('supply.price.confirm_submit'),
        intro: (
          <div className={stack.gap3}>
            <p>{t('supply.price.confirm_intro')}</p>
            <Facts
              facts={[
                { label: t('supply.placement.network'), value: placement.network_name },
                { label: t('supply.placement.placement'), value: placement.name },
                { label: t('supply.price.price'), value: textOf(price) },
                { label: t('supply.price.from'), value: <Moment at={valid_from} /> },
                { label: t('supply.price.proposed_by'), value: <StaffName id={price.set_by} /> },
              ]}
            />
          </div>
        ),
        schema,
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => [
          {
            what: textOf(price),
            before: t('supply.price.is_proposed'),
            after: t('supply.price.confirmed'),
          },
        ],
        body: ({ reason }) => ({
          placement_id: placement.id,
          model,
          cost,
          revenue,
          valid_from,
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ name }) => ({ text: t('supply.price.confirmed_done', { name }) }),
        touches: [consoleKeys.list('/admin/placement/list')],
      }}
    />
  );
}
