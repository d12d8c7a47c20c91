import { useTranslation } from 'react-i18next';

export default function BindCardPage() {
  const { t } = useTranslation();
  return <p>{t('title.bind_card')}</p>;
}
