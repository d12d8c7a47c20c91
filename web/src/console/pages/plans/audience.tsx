import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';

export type Audience = components['schemas']['Audience'];

export const GENDERS = ['any', 'female', 'male'] as const satisfies readonly Audience['gender'][];

/** The audience of a plan in one line. */
export function AudienceText({ audience }: { audience: Audience }) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  const regions = audience.regions.length === 0 ? t('plans.everywhere') : audience.regions.join(', ');
  const ages = t('plans.ages', { min: audience.age_min, max: audience.age_max });
  return list([regions, ages, t(`plans.genders.${audience.gender}`)]);
}
