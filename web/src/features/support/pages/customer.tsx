import { useTranslation } from 'react-i18next';

export default function CustomerPage() {
  const { t } = useTranslation();
  return <p>{t('title.customer')}</p>;
}
