import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { basicConfigQuery } from '@/domain/basic-config';
import { questionPath, RULES_ID } from '@/domain/questions';
import { Menu, MenuLink } from '@/ui/menu';
import { ErrorState, SkeletonCards } from '@/ui/states';
import styles from './help-card.module.css';

/** Frequent questions and operating rules. */
export function HelpCard() {
  const { t, i18n } = useTranslation();
  const query = useQuery(basicConfigQuery(i18n.language));
  if (query.isPending) return <SkeletonCards count={1} height="22rem" />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { faq_config } = query.data;
  return (
    <Menu title={t('help.faq')}>
      {faq_config.map(({ id, title }) => (
        <MenuLink key={id} to={questionPath(id)} label={title} />
      ))}
      <MenuLink to={questionPath(RULES_ID)} icon={<ScrollText size={20} />} label={t('help.rules')} />
    </Menu>
  );
}

/** The platform's headline, if there is one. */
export function Headline() {
  const { i18n } = useTranslation();
  const marketing = useQuery(basicConfigQuery(i18n.language)).data?.marketing;
  return marketing ? <p className={styles.headline}>{marketing.headline}</p> : null;
}
