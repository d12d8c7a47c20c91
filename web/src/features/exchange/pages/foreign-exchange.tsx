import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { roots } from '@/domain/keys';
import { propertyQuery } from '@/domain/property';
import type { AcceptorKind } from '@/lib/api/types';
import { Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { Skeleton } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { usePart } from '@/ui/use-part';
import { exchangeListQuery, foundQuery, keepFound } from '../api/queries';
import { CodeForm, type RefusedCode } from '../components/code-form';
import { CurrentExchange } from '../components/current-exchange';
import { usePlatform } from '../components/exchange-text';
import { LinkedRecord, Records } from '../components/records';
import { currentOf, KINDS } from '../rules';
import styles from './foreign-exchange.module.css';

const PANEL = 'acceptor';
const loadOfferView = () => import('../components/offer-view');

export default function ForeignExchangePage() {
  const orders = useInfiniteQuery(exchangeListQuery);
  const property = useQuery(propertyQuery);
  const wallet = usePlatform()?.currency ?? property.data?.currency ?? '';
  const current = currentOf(orders.data?.pages[0]?.items);
  useWalletAfter(current?.id ?? null);
  const refetchOrders = orders.refetch;
  const refetchProperty = property.refetch;
  usePageHeader({
    onRefresh: useCallback(
      () => Promise.all([refetchOrders(), refetchProperty()]),
      [refetchOrders, refetchProperty],
    ),
  });

  return (
    <div className={stack.gap4}>
      <Cover available={property.data?.available_funds} wallet={wallet} />
      {current ? <CurrentExchange key={current.id} order={current} wallet={wallet} /> : null}
      <NewExchange isBlocked={current !== null} />
      <Records wallet={wallet} />
      <LinkedRecord wallet={wallet} />
    </div>
  );
}

/** Refetches the wallet after an open order has ended, because that moves money. */
function useWalletAfter(openId: string | null): void {
  const queryClient = useQueryClient();
  const before = useRef(openId);
  useEffect(() => {
    const hasEnded = before.current !== null && before.current !== openId;
    before.current = openId;
    if (hasEnded) void queryClient.invalidateQueries({ queryKey: roots.wallet });
  }, [openId, queryClient]);
}

function Cover({ available, wallet }: { available: string | undefined; wallet: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.cover}>
      <ArrowLeftRight className={styles.art} size={120} strokeWidth={1} aria-hidden="true" />
      <p className={styles.lead}>{t('exchange.lead')}</p>
      <dl className={styles.funds}>
        <dt>{t('exchange.available')}</dt>
        <dd>
          {available === undefined ? (
            <Skeleton width="9rem" height="1.3em" />
          ) : (
            <Money value={available} currency={wallet} />
          )}
        </dd>
      </dl>
    </div>
  );
}

function NewExchange({ isBlocked }: { isBlocked: boolean }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [kind, setKind] = useChoice('kind', KINDS);
  const [refused, setRefused] = useState<RefusedCode | null>(null);
  const found = useQuery(foundQuery).data;
  const forget = () => keepFound(queryClient, null);
  const shown = found?.kind === kind ? found : null;
  const OfferView = usePart(loadOfferView, shown !== null, forget);

  const choose = (next: AcceptorKind) => {
    setRefused(null);
    setKind(next);
  };
  return (
    <Card title={t('exchange.new')}>
      <div className={stack.gap4}>
        <Tabs
          label={t('exchange.kinds')}
          panel={PANEL}
          items={KINDS.map((value) => ({ value, label: t(`exchange.kind.${value}`) }))}
          value={kind}
          onChange={choose}
        />
        <TabPanel id={PANEL} label={t(`exchange.kind.${kind}`)}>
          {shown && OfferView ? (
            <OfferView
              key={shown.code}
              found={shown}
              isBlocked={isBlocked}
              onForget={forget}
              onCodeRefused={(next) => {
                setRefused(next);
                forget();
              }}
            />
          ) : shown ? (
            <div role="status" aria-label={t('common.loading')}>
              <Skeleton height="14rem" />
            </div>
          ) : (
            <CodeForm
              kind={kind}
              refused={refused}
              onFound={(next) => {
                setRefused(null);
                keepFound(queryClient, next);
              }}
            />
          )}
        </TabPanel>
      </div>
    </Card>
  );
}
