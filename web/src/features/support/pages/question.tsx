import { useTranslation } from 'react-i18next';

export default function QuestionPage() {
  const { t } = useTranslation();
  return <p>{t('title.ques_detail')}</p>;
}
