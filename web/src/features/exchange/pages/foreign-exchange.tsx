import { useTranslation } from 'react-i18next';

export default function ForeignExchangePage() {
  const { t } = useTranslation();
  return <p>{t('title.foreign_exchange')}</p>;
}
