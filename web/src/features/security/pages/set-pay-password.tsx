import { useTranslation } from 'react-i18next';

export default function SetPayPasswordPage() {
  const { t } = useTranslation();
  return <p>{t('title.set_pay_password')}</p>;
}
