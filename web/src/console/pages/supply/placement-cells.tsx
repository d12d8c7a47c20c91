import { useTranslation } from 'react-i18next';

export function Countries({ countries }: { countries: readonly string[] }) {
  const { t } = useTranslation('console');
  return countries.length === 0 ? t('supply.placement.everywhere') : countries.join(', ');
}

export function Systems({ systems }: { systems: readonly string[] }) {
  const { t } = useTranslation('console');
  return systems.length === 0 ? t('supply.placement.all_systems') : systems.join(', ');
}
