import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { REASON_LIMIT, TextInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';

const NAME_LIMIT = 100;
const FORMAT_LIMIT = 32;
/** Characters of a typed list. */
const LIST_LIMIT = 2000;

/** What staff type of a placement, whether it is new or not. Lists are typed with commas between their words. */
export const placementShape = {
  name: text(NAME_LIMIT),
  format: text(FORMAT_LIMIT),
  countries: optionalText(LIST_LIMIT),
  systems: optionalText(LIST_LIMIT),
  reason: optionalText(REASON_LIMIT),
};

const placement = z.object(placementShape);

export function placementBody({ name, format, countries, systems, reason }: z.infer<typeof placement>) {
  return {
    name,
    format,
    countries: wordsOf(countries).map((code) => code.toUpperCase()),
    systems: wordsOf(systems),
    ...(reason === '' ? {} : { reason }),
  };
}

/** The words of a typed list, each once and in order, as the server keeps them. */
export function wordsOf(typed: string): string[] {
  const words = typed.split(/[\s,;]+/).filter((word) => word !== '');
  return [...new Set(words)].sort();
}

export function PlacementFields() {
  const { t } = useTranslation('console');
  return (
    <>
      <TextInput name="name" label={t('supply.placement.name')} limit={NAME_LIMIT} />
      <TextInput
        name="format"
        label={t('supply.placement.format')}
        hint={t('supply.placement.format_hint')}
        limit={FORMAT_LIMIT}
      />
      <TextInput
        name="countries"
        label={t('supply.placement.countries')}
        hint={t('supply.placement.countries_hint')}
        limit={LIST_LIMIT}
        optional
      />
      <TextInput
        name="systems"
        label={t('supply.placement.systems')}
        hint={t('supply.placement.systems_hint')}
        limit={LIST_LIMIT}
        optional
      />
    </>
  );
}
