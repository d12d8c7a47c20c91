import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { NoUserData } from '@/domain/no-user-data';
import { userInfoQuery } from '@/domain/user-info';
import { useFormats } from '@/i18n/format';
import type { UserInfo } from '@/lib/api/types';
import { dropDraft } from '@/lib/drafts';
import { Avatar } from '@/ui/avatar';
import { Badge, Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { initialsOf, nameOf, PROFILE_DRAFT } from '../rules';
import styles from './account-card.module.css';

const loadProfileSheet = () => import('./profile-sheet');

/** The account's level, score and deposit. A tap opens the profile. */
export function AccountCard() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const query = useQuery(userInfoQuery);
  const user = query.data;
  if (query.isError && !user) return <NoUserData error={query.error} onRetry={() => query.refetch()} />;
  return (
    <section aria-label={t('account.profile')}>
      <Card className={styles.accountCard}>
        {user ? <Owner user={user} /> : <Skeleton height="3rem" />}
        <dl className={styles.account}>
          <div>
            <dt>{t('ad_center.credit_score')}</dt>
            <dd>{user ? integer(user.credit_score) : <Skeleton height="1.45em" />}</dd>
          </div>
          <div>
            <dt>{t('ad_center.shop_level')}</dt>
            <dd>{user ? integer(user.shop_level) : <Skeleton height="1.45em" />}</dd>
          </div>
          <div>
            <dt>{t('ad_center.deposit')}</dt>
            <dd>{user?.deposit ? <Money value={user.deposit} /> : <Skeleton height="1.45em" />}</dd>
          </div>
        </dl>
      </Card>
    </section>
  );
}

function Owner({ user }: { user: UserInfo }) {
  const { t } = useTranslation();
  const overlay = useOverlay('profile');
  const ProfileSheet = usePart(loadProfileSheet, overlay.isOpen, overlay.close);
  useDraftEnd(overlay.isOpen);
  const name = nameOf(user);
  return (
    <>
      <button
        type="button"
        className={styles.owner}
        onClick={overlay.open}
        aria-label={t('account.open_profile', { name })}
      >
        <Avatar url={user.avatar_url} initials={initialsOf(name)} />
        <span className={styles.names}>
          <span className={styles.name}>{name}</span>
          <span className={styles.username}>{user.username}</span>
        </span>
        {user.vip ? <Badge tone="brand">{t('ad_center.vip')}</Badge> : null}
        <ChevronRight className={styles.ownerArrow} size={18} aria-hidden="true" />
      </button>
      {overlay.isOpen && ProfileSheet ? <ProfileSheet user={user} onClose={overlay.close} /> : null}
    </>
  );
}

/** Closing the sheet discards the draft. A message that covers the sheet, such as an expired session, does not. */
function useDraftEnd(isOpen: boolean) {
  const { state } = useLocation();
  const isCovered = Boolean(state?.overlay) && !isOpen;
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen) {
      wasOpen.current = true;
    } else if (wasOpen.current && !isCovered) {
      wasOpen.current = false;
      dropDraft(PROFILE_DRAFT);
    }
  }, [isOpen, isCovered]);
}
