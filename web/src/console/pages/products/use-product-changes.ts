import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Change } from '../../act/act';
import { amountOf } from '../../act/values';
import { CONTENT_TYPES, type ProductValues, regionsOf } from './product-values';

type Line = { what: string; text: (values: ProductValues) => string };

/**
 * What saving changes: the lines of a product that differ from those it has, or those of a new one that say something.
 * `nameOf` gives the name of a placement.
 */
export function useProductChanges(before: ProductValues | null, nameOf: (placement: string) => string) {
  const { t } = useTranslation('console');
  const lines = useLines(nameOf);
  return (after: ProductValues): Change[] => {
    if (before === null) {
      const said = lines.filter(({ text }) => text(after) !== '');
      return said.map(({ what, text }) => ({ what, before: null, after: text(after) }));
    }
    const changed = lines.filter(({ text }) => text(before) !== text(after));
    if (changed.length === 0) return [{ what: t('products.no_change'), before: null, after: '' }];
    return changed.map(({ what, text }) => ({
      what,
      before: text(before) || t('products.nothing'),
      after: text(after) || t('products.nothing'),
    }));
  };
}

function useLines(nameOf: (placement: string) => string): Line[] {
  const { t } = useTranslation('console');
  const { money, integer } = useFormats();
  return [
    { what: t('products.name'), text: ({ name }) => name },
    { what: t('products.category'), text: ({ category }) => category },
    { what: t('products.description'), text: ({ description }) => description },
    { what: t('products.game_description'), text: (values) => values.game_description },
    {
      what: t('products.content'),
      // In the order of the form: ticking and unticking changes the order of the list, which means nothing.
      text: (values) =>
        CONTENT_TYPES.filter((type) => values.content_types.includes(type))
          .map((type) => t(`products.content_types.${type}`))
          .join(', '),
    },
    { what: t('products.put_min'), text: (values) => money(amountOf(values.put_min)) },
    { what: t('products.put_max'), text: (values) => money(amountOf(values.put_max)) },
    { what: t('products.gender'), text: ({ gender }) => t(`products.genders.${gender}`) },
    { what: t('products.age_min'), text: (values) => integer(Number(values.age_min)) },
    { what: t('products.age_max'), text: (values) => integer(Number(values.age_max)) },
    {
      what: t('products.regions'),
      text: ({ regions }) => regionsOf(regions).join(', ') || t('products.everywhere'),
    },
    {
      what: t('products.return_max'),
      text: (values) => t('products.percent', { percent: integer(Number(values.return_max_percent)) }),
    },
    {
      what: t('products.per_thousand'),
      text: (values) => money(amountOf(values.revenue_per_thousand_max)),
    },
    { what: t('products.goal'), text: ({ goal }) => t(`products.goals.${goal}`) },
    {
      what: t('products.placements'),
      text: ({ placements }) => [...placements].sort().map(nameOf).join(', ') || t('products.all_placements'),
    },
    { what: t('products.ad_title'), text: (values) => values.ad_title },
    { what: t('products.ad_picture'), text: (values) => values.ad_picture },
    { what: t('products.ad_destination'), text: (values) => values.ad_destination },
    { what: t('products.icon'), text: (values) => values.icon_url },
    { what: t('products.cover'), text: (values) => values.cover_url },
  ];
}
