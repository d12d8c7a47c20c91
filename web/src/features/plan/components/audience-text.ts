import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Audience } from '@/lib/api/types';
import { ageRange } from '../rules';

/** The audience of an ad in one line. */
export function useAudienceText(): (audience: Audience) => string {
  const { t } = useTranslation();
  const { list } = useFormats();
  return (audience) => {
    const ages = ageRange(audience);
    return [
      audience.regions.length > 0 ? list(audience.regions) : t('audience.everywhere'),
      ages ? t('audience.ages', ages) : null,
      t(`audience.gender.${audience.gender}`),
    ]
      .filter(Boolean)
      .join(' · ');
  };
}
