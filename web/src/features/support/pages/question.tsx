import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight, Headset, SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { basicConfigQuery } from '@/domain/basic-config';
import { questionPath, RULES_ID } from '@/domain/questions';
import { useService } from '@/domain/service/service-store';
import { Button, LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { usePageHeader } from '@/ui/page-header';
import { PlainText } from '@/ui/plain-text';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { type Neighbours, questionOf } from '../rules';
import styles from './question.module.css';

/** A frequent question with its answer, or the operating rules. */
export default function QuestionPage() {
  const { t, i18n } = useTranslation();
  const [query] = useSearchParams();
  const id = query.get('id');
  const config = useQuery(basicConfigQuery(i18n.language));
  const isRules = id === RULES_ID;
  usePageHeader({ title: isRules ? t('help.rules') : undefined });

  if (config.isPending) return <SkeletonCards count={1} height="16rem" />;
  if (!config.data) return <ErrorState error={config.error} onRetry={() => config.refetch()} />;
  const question = questionOf(config.data.faq_config, id);
  if (!isRules && !question) return <NotFound />;
  return (
    <div className={stack.gap4}>
      <Card title={question?.faq.title ?? t('help.rules')}>
        <PlainText text={question?.faq.content ?? config.data.operating_rules} />
      </Card>
      {question ? <Others question={question} /> : null}
      <NotEnough subject={question?.faq.title ?? t('help.rules')} />
    </div>
  );
}

function Others({ question: { previous, next } }: { question: Neighbours }) {
  const { t } = useTranslation();
  if (!previous && !next) return null;
  // Replaces the history entry, so that Back leaves the questions in one step.
  return (
    <nav className={styles.others} aria-label={t('help.more')}>
      {previous ? (
        <Link className={styles.other} to={questionPath(previous.id)} replace>
          <span className={styles.way}>
            <ArrowLeft size={16} aria-hidden="true" />
            {t('help.previous')}
          </span>
          <span className={styles.title}>{previous.title}</span>
        </Link>
      ) : null}
      {next ? (
        <Link className={styles.other} to={questionPath(next.id)} replace>
          <span className={styles.way}>
            {t('help.next')}
            <ArrowRight size={16} aria-hidden="true" />
          </span>
          <span className={styles.title}>{next.title}</span>
        </Link>
      ) : null}
    </nav>
  );
}

function NotEnough({ subject }: { subject: string }) {
  const { t } = useTranslation();
  const service = useService();
  return (
    <section className={styles.contact} aria-labelledby="not-enough">
      <div>
        <h2 id="not-enough" className={styles.question}>
          {t('help.not_enough')}
        </h2>
        <p className={styles.lead}>{t('help.not_enough_text')}</p>
      </div>
      <Button tone="secondary" wide onClick={() => service.open({ subject })}>
        <Headset size={20} aria-hidden="true" />
        {t('help.contact')}
      </Button>
    </section>
  );
}

function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<SearchX size={28} />}
      title={t('help.not_found')}
      text={t('help.not_found_text')}
      action={<LinkButton to="/account">{t('title.account')}</LinkButton>}
    />
  );
}
