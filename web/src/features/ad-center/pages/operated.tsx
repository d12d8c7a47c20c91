import { useTranslation } from 'react-i18next';

export default function OperatedPage() {
  const { t } = useTranslation();
  return <p>{t('title.operated')}</p>;
}
