import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { useMay, useStaff } from '../../session/use-staff';
import { Badge } from '../../ui/badge';
import { StaffName } from '../../ui/staff-name';
import styles from './prices.module.css';

type Price = components['schemas']['PlacementPrice'];

/** What a placement costs now and later. A proposed price says who proposed it, and how it comes to hold. */
export function Prices({ prices }: { prices: readonly Price[] }) {
  const { t } = useTranslation('console');
  if (prices.length === 0) return <Badge tone="waiting">{t('supply.placement.no_price')}</Badge>;
  return (
    <ul className={styles.prices}>
      {prices.map((price) => (
        <li key={`${price.valid_from} ${price.state} ${price.set_by}`}>
          <PriceLine price={price} />
        </li>
      ))}
    </ul>
  );
}

function PriceLine({ price }: { price: Price }) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  const text = usePriceText();
  return price.holds_from === null ? (
    <>
      <span className={styles.line}>
        {text(price)}, {t('supply.price.meant_from', { time: moment(price.valid_from) })}{' '}
        <Badge tone="waiting">{t('supply.price.is_proposed')}</Badge>
      </span>
      <Proposer price={price} />
    </>
  ) : (
    <span className={styles.line}>
      {text(price)}, {t('supply.price.holds_from', { time: moment(price.holds_from) })}
    </span>
  );
}

/** What is paid and earned, in a line. */
export function usePriceText(): (price: Pick<Price, 'model' | 'cost' | 'revenue'>) => string {
  const { t } = useTranslation('console');
  const { fineMoney } = useFormats();
  return ({ model, cost, revenue }) =>
    t('supply.price.line', {
      model: t(`supply.price.short.${model}`),
      cost: fineMoney(cost),
      revenue: fineMoney(revenue),
    });
}

function Proposer({ price }: { price: Price }) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const may = useMay();
  const mayConfirm = may('POST /admin/placement/price') && price.set_by !== own.id;
  return (
    <span className={styles.note}>
      {t('supply.price.proposed_by')} <StaffName id={price.set_by} />.{' '}
      {t(mayConfirm ? 'supply.price.confirm_hint' : 'supply.price.another_confirms')}
    </span>
  );
}
