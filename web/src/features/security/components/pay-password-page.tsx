import { useQuery } from '@tanstack/react-query';
import { LockKeyhole, LockKeyholeOpen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { NoUserData } from '@/domain/no-user-data';
import { userInfoQuery } from '@/domain/user-info';
import { LinkButton } from '@/ui/button';
import { EmptyState } from '@/ui/states';
import { PayPasswordSkeleton, PayPasswordSteps } from './pay-password-steps';

/** The steps, or a link to the other page if a password is already set or there is none to change. */
export function PayPasswordPage({ changes }: { changes: boolean }) {
  const query = useQuery(userInfoQuery);
  // The stored copy may predate a reset by customer service.
  if (query.data && !query.isPlaceholderData)
    return <Page isSet={query.data.has_pay_password} changes={changes} />;
  if (query.isError) return <NoUserData error={query.error} onRetry={() => query.refetch()} />;
  return <PayPasswordSkeleton />;
}

function Page({ isSet, changes }: { isSet: boolean; changes: boolean }) {
  const { t } = useTranslation();
  const { search } = useLocation();
  // Once started, the steps stay: they still have to report the password they have just set.
  const [fits, setFits] = useState(isSet === changes);
  if (!fits && isSet === changes) setFits(true);
  if (fits) return <PayPasswordSteps isSet={changes} />;
  return changes ? (
    <Elsewhere
      icon={<LockKeyholeOpen size={28} />}
      title={t('pay_password.none_title')}
      text={t('pay_password.none_text')}
      to={`/wallet/set-password${search}`}
      action={t('pay_password.none_action')}
    />
  ) : (
    <Elsewhere
      icon={<LockKeyhole size={28} />}
      title={t('pay_password.already_title')}
      text={t('pay_password.already_text')}
      to={`/ad-center/edit-pay-password${search}`}
      action={t('pay_password.already_action')}
    />
  );
}

type ElsewhereProps = { icon: ReactNode; title: string; text: string; to: string; action: string };

function Elsewhere({ icon, title, text, to, action }: ElsewhereProps) {
  return (
    <EmptyState
      icon={icon}
      title={title}
      text={text}
      action={
        <LinkButton to={to} replace>
          {action}
        </LinkButton>
      }
    />
  );
}
