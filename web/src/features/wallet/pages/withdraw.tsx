import { useTranslation } from 'react-i18next';

export default function WithdrawPage() {
  const { t } = useTranslation();
  return <p>{t('title.withdraw')}</p>;
}
