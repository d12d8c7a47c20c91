import { useTranslation } from 'react-i18next';

export default function EditLoginPasswordPage() {
  const { t } = useTranslation();
  return <p>{t('title.edit_login_password')}</p>;
}
