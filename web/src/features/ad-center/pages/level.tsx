import { useTranslation } from 'react-i18next';

export default function LevelPage() {
  const { t } = useTranslation();
  return <p>{t('title.level')}</p>;
}
