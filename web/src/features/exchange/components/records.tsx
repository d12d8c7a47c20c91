import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Deposit } from '@/domain/deposit/deposit';
import { useService } from '@/domain/service/service-store';
import { useFormats } from '@/i18n/format';
import type { ExchangeOrder } from '@/lib/api/types';
import { signOf } from '@/lib/money';
import { Button } from '@/ui/button';
import { Card, Row, Rows } from '@/ui/card';
import { QueryList } from '@/ui/query-list';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { useOverlay } from '@/ui/use-overlay';
import { useQueryPatch } from '@/ui/use-query-patch';
import { exchangeListQuery, exchangeOrderQuery } from '../api/queries';
import { OrderId } from './current-exchange';
import { sidesOf } from './exchange-text';
import { Notice } from './notice';
import { RateRow } from './rate-row';
import styles from './records.module.css';
import { Sides, SidesLine } from './sides';
import { StatusBadge } from './status-badge';

/** All exchanges, newest first. */
export function Records({ wallet }: { wallet: string }) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(exchangeListQuery);
  return (
    <Card title={t('exchange.records')}>
      <QueryList
        query={query}
        skeleton={<SkeletonCards height="5.5rem" />}
        empty={
          <EmptyState
            icon={<ArrowLeftRight size={28} />}
            title={t('exchange.empty')}
            text={t('exchange.empty_text')}
          />
        }
      >
        {(orders) => (
          <ul className={styles.records}>
            {orders.map((order) => (
              <Record key={order.id} order={order} wallet={wallet} />
            ))}
          </ul>
        )}
      </QueryList>
    </Card>
  );
}

type Props = { order: ExchangeOrder; wallet: string };

function Record({ order, wallet }: Props) {
  const { t } = useTranslation();
  const { moment, money } = useFormats();
  const detail = useOverlay(`exchange-${order.id}`);
  const { give, get } = sidesOf(order, order.amount, order.counter_amount, wallet);
  return (
    <li>
      <button type="button" className={styles.record} onClick={detail.open}>
        <span className={styles.recordText}>
          <SidesLine give={give} get={get} />
          <span className={styles.recordMeta}>
            {order.acceptor.name} · <time dateTime={order.create_time}>{moment(order.create_time)}</time>
          </span>
          <StatusBadge status={order.status} />
          {isShort(order) ? (
            <span className={styles.missing}>
              {t('error.missing', { amount: `${money(order.missing)} ${wallet}` })}
            </span>
          ) : null}
        </span>
        <ChevronRight size={20} aria-hidden="true" />
      </button>
      {detail.isOpen ? <RecordSheet order={order} wallet={wallet} onClose={detail.close} /> : null}
    </li>
  );
}

function RecordSheet({ order, wallet, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const { give, get } = sidesOf(order, order.amount, order.counter_amount, wallet);
  return (
    <Sheet isOpen onClose={onClose} title={t('exchange.record')}>
      <div className={stack.gap4}>
        <Sides give={give} get={get} />
        {isShort(order) ? <Missing order={order} wallet={wallet} /> : null}
        <Rows>
          <Row label={t('exchange.state')}>
            <StatusBadge status={order.status} />
          </Row>
          <Row label={t('exchange.acceptor')}>
            {order.acceptor.name} · {t(`exchange.kind.${order.acceptor.kind}`)}
          </Row>
          <RateRow terms={order} wallet={wallet} />
          <Row label={t('exchange.paid_from')}>{t(`exchange.paid_from_of.${order.direction}`)}</Row>
          <Row label={t('exchange.create_time')}>{dateTime(order.create_time)}</Row>
          {order.status === 'pending' && order.expire_time ? (
            <Row label={t('exchange.expires')}>{dateTime(order.expire_time)}</Row>
          ) : null}
          {order.finish_time ? (
            <Row label={t('exchange.finish_time')}>{dateTime(order.finish_time)}</Row>
          ) : null}
          {order.reason ? (
            <Row text label={t('exchange.reason')}>
              {order.reason}
            </Row>
          ) : null}
          <OrderId id={order.id} />
        </Rows>
      </div>
    </Sheet>
  );
}

/** Whether a late payment could not complete the order, because the wallet lacked money. */
function isShort({ missing }: ExchangeOrder): boolean {
  return signOf(missing) > 0;
}

function Missing({ order, wallet }: Props) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const service = useService();
  const deposit = useOverlay('deposit', 'above');
  return (
    <Notice text={t('exchange.missing', { amount: `${money(order.missing)} ${wallet}` })}>
      <Button wide onClick={deposit.open}>
        {t('wallet.deposit')}
      </Button>
      <Button
        tone="secondary"
        wide
        onClick={() =>
          service.open({
            subject: `${t('title.foreign_exchange')} ${order.id}`,
            subtitle: t('exchange.missing_service', { id: order.id }),
          })
        }
      >
        {t('wallet.deposit_service')}
      </Button>
      <Deposit isOpen={deposit.isOpen} onClose={deposit.close} />
    </Notice>
  );
}

/** The order that the URL names, as the fund details do. */
export function LinkedRecord({ wallet }: { wallet: string }) {
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const id = query.get('order');
  const order = useQuery({ ...exchangeOrderQuery(id ?? ''), enabled: id !== null }).data;
  if (id === null || !order) return null;
  return <RecordSheet order={order} wallet={wallet} onClose={() => patch({ order: null })} />;
}
