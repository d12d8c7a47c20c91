import { useTranslation } from 'react-i18next';

export default function ActivitiesPage() {
  const { t } = useTranslation();
  return <p>{t('title.activities')}</p>;
}
