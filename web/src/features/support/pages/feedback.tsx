import { useTranslation } from 'react-i18next';

export default function FeedbackPage() {
  const { t } = useTranslation();
  return <p>{t('title.feedback')}</p>;
}
