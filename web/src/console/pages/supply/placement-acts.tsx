import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay, useStaff } from '../../session/use-staff';
import { ConfirmPrice } from './confirm-price';
import { EditPlacement } from './edit-placement';
import { SetPrice } from './set-price';

type Props = { placement: components['schemas']['Placement'] };

/** The acts on a placement. A price is confirmed by another member than its proposer. */
export function PlacementActs({ placement }: Props) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  const may = useMay();
  const own = useStaff();
  const offered: Offered[] = [];
  if (may('POST /admin/placement/price')) {
    for (const price of placement.prices)
      if (price.state === 'proposed' && price.set_by !== own.id)
        offered.push({
          id: `confirm ${price.valid_from}`,
          label: t('supply.price.confirm', { time: moment(price.valid_from) }),
          dialog: (close) => <ConfirmPrice placement={placement} price={price} onClose={close} />,
        });
    offered.push({
      id: 'price',
      label: t('supply.price.set'),
      dialog: (close) => <SetPrice placement={placement} onClose={close} />,
    });
  }
  if (may('POST /admin/placement/edit'))
    offered.push({
      id: 'edit',
      label: t('supply.placement.edit'),
      dialog: (close) => <EditPlacement placement={placement} onClose={close} />,
    });
  return <RowMenu name={placement.name} offered={offered} />;
}
