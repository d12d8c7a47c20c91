import { useTranslation } from 'react-i18next';

export default function EditPayPasswordPage() {
  const { t } = useTranslation();
  return <p>{t('title.edit_pay_password')}</p>;
}
