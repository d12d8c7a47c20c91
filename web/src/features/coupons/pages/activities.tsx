import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CalendarSync, Gift, HandCoins, TicketX } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { basicConfigQuery } from '@/domain/basic-config';
import { LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { HeroPanel } from '@/ui/hero-panel';
import { usePageHeader } from '@/ui/page-header';
import { PlainText } from '@/ui/plain-text';
import { Section } from '@/ui/section';
import stack from '@/ui/stack.module.css';
import { EmptyState, ErrorState, SkeletonCards } from '@/ui/states';
import { couponListQuery } from '../api/queries';
import { Claimables, ClaimableTicket } from '../components/claimables';
import { byKind, hasMinimum } from '../rules';
import styles from './activities.module.css';

/** Coupons for new users and periodic ones for everyone, with their rules. */
export default function ActivitiesPage() {
  const { t } = useTranslation();
  return (
    <div className={stack.gap4}>
      <HeroPanel className={styles.hero} aria-labelledby="activity">
        <div className={styles.art} aria-hidden="true">
          <Gift size={32} />
        </div>
        <h2 id="activity" className={styles.title}>
          {t('activities.hero_title')}
        </h2>
        <p className={styles.lead}>{t('activities.hero_text')}</p>
        <ul className={styles.facts}>
          <NoMinimum />
          <li>
            <CalendarSync size={20} aria-hidden="true" />
            <div>
              <strong>{t('activities.fact_periodic')}</strong>
              <p>{t('activities.fact_periodic_text')}</p>
            </div>
          </li>
        </ul>
      </HeroPanel>
      <Offers />
      <Rules />
    </div>
  );
}

/** Left out if a coupon on offer has a minimum after all. */
function NoMinimum() {
  const { t } = useTranslation();
  const offered = useInfiniteQuery(couponListQuery('unused')).data?.pages[0]?.claimable ?? [];
  if (byKind(offered).newUser.some(hasMinimum)) return null;
  return (
    <li>
      <HandCoins size={20} aria-hidden="true" />
      <div>
        <strong>{t('activities.fact_minimum')}</strong>
        <p>{t('activities.fact_minimum_text')}</p>
      </div>
    </li>
  );
}

function Offers() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(couponListQuery('unused'));
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  if (query.isPending) return <SkeletonCards count={2} height="6.5rem" />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { newUser, periodic } = byKind(query.data.pages[0]?.claimable ?? []);
  return (
    <>
      <Section title={t('activities.support')}>
        {newUser.length > 0 ? (
          <ul className={stack.gap3}>
            {newUser.map((item) => (
              <ClaimableTicket
                key={item.campaign_id}
                item={item}
                words="receive"
                note={t('activities.once')}
              />
            ))}
          </ul>
        ) : (
          <EmptyState
            icon={<TicketX size={28} />}
            title={t('activities.none')}
            text={t('activities.none_text')}
          />
        )}
      </Section>
      {periodic.length > 0 ? (
        <Claimables title={t('activities.periodic')} items={periodic} />
      ) : (
        <Section title={t('activities.periodic')}>
          <EmptyState
            icon={<CalendarSync size={28} />}
            title={t('activities.none_periodic')}
            text={t('activities.none_periodic_text')}
          />
        </Section>
      )}
      <LinkButton to="/ad-center/coupons" tone="secondary" large>
        {t('activities.see_coupons')}
      </LinkButton>
    </>
  );
}

function Rules() {
  const { t, i18n } = useTranslation();
  const query = useQuery(basicConfigQuery(i18n.language));
  if (query.isPending) return <SkeletonCards count={1} height="18rem" />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return (
    <Card title={t('activities.rules')}>
      <PlainText text={query.data.activity_rules} />
    </Card>
  );
}
