import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { CoolingOffHint } from '@/domain/pay/cooling-off-hint';
import { userInfoQuery } from '@/domain/user-info';
import type { Destinations, UserInfo, WithdrawalMethod } from '@/lib/api/types';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { ErrorState, Skeleton } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { destinationsQuery } from '../api/queries';
import { AddressForm } from '../components/address-form';
import { BoundDestination } from '../components/bound-destination';
import { CardForm } from '../components/card-form';
import { KINDS } from '../destination';
import { destinationOf } from '../withdrawal';
import styles from './bind-card.module.css';

const PANEL = 'bind';

export default function BindCardPage() {
  const { t } = useTranslation();
  const [kind, setKind] = useChoice('kind', KINDS);
  const bound = useQuery(destinationsQuery);
  const user = useQuery(userInfoQuery);
  const { refetch } = bound;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const failed = [bound, user].find((query) => query.isError && !query.data);

  return (
    <>
      <div className={styles.tabs}>
        <Tabs
          label={t('bind.kinds')}
          panel={PANEL}
          items={KINDS.map((value) => ({ value, label: t(`bind.kind.${value}`) }))}
          value={kind}
          onChange={setKind}
        />
      </div>
      <TabPanel id={PANEL} label={t(`bind.kind.${kind}`)}>
        {bound.data && user.data && !user.isPlaceholderData ? (
          <Kind key={kind} kind={kind} bound={bound.data} user={user.data} />
        ) : failed ? (
          <ErrorState error={failed.error} onRetry={() => Promise.all([bound.refetch(), user.refetch()])} />
        ) : (
          <div className={stack.gap4} role="status" aria-label={t('common.loading')}>
            <Skeleton height="11rem" />
            <Skeleton height="4.5rem" />
            <Skeleton height="4.5rem" />
          </div>
        )}
      </TabPanel>
    </>
  );
}

type KindProps = { kind: WithdrawalMethod; bound: Destinations; user: UserInfo };

/** The bound account, or the form to bind one. Replacing an account needs a confirmation. */
function Kind({ kind, bound, user }: KindProps) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const current = destinationOf(kind, bound);
  // The account to replace. Once another one is bound, the replacement is over.
  const [replaced, setReplaced] = useState<typeof current>(null);
  const isReplacing = replaced !== null && JSON.stringify(replaced) === JSON.stringify(current);
  const Form = kind === 'bank_card' ? CardForm : AddressForm;
  return (
    <div className={stack.gap4}>
      {current ? (
        <BoundDestination
          destination={current}
          next={query.get('next')}
          onReplace={isReplacing ? null : () => setReplaced(current)}
        />
      ) : null}
      {current && !isReplacing ? null : (
        <>
          <p className={styles.lead}>{t(`bind.lead.${kind}`)}</p>
          {bound.bank_card || bound.wallet_address ? <CoolingOffHint /> : null}
          <Form bound={bound} asksPassword={user.has_pay_password} next={query.get('next')} />
        </>
      )}
    </div>
  );
}
