import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { StaffProduct } from './product-values';

type Props = { product: StaffProduct };

export function Contents({ product }: Props) {
  const { t } = useTranslation('console');
  return product.content_types.map((type) => t(`products.content_types.${type}`)).join(', ');
}

export function Range({ product }: Props) {
  const { t } = useTranslation('console');
  const { money } = useFormats();
  return (
    <span className="figure">
      {t('products.range_of', { min: money(product.put_min), max: money(product.put_max) })}
    </span>
  );
}

export function Audience({ product: { audience } }: Props) {
  const { t } = useTranslation('console');
  return t('products.audience_of', {
    gender: t(`products.genders.${audience.gender}`),
    from: audience.age_min,
    to: audience.age_max,
  });
}

export function Regions({ product: { audience } }: Props) {
  const { t } = useTranslation('console');
  return audience.regions.length === 0 ? t('products.everywhere') : audience.regions.join(', ');
}

export function ReturnMax({ product }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return (
    <span className="figure">{t('products.percent', { percent: integer(product.return_max_percent) })}</span>
  );
}

export function Goal({ product }: Props) {
  const { t } = useTranslation('console');
  return t(`products.goals.${product.goal}`);
}

export function Placements({ product: { placements } }: Props) {
  const { t } = useTranslation('console');
  return placements.length === 0
    ? t('products.all_placements')
    : t('products.placements_count', { count: placements.length });
}
