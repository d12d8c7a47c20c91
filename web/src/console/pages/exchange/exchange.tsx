import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Amount } from '../../ui/amount';
import { Badge, type Tone } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import { DecideExchange } from './decide-exchange';

export type StaffExchangeOrder = components['schemas']['StaffExchangeOrder'];

const STATES = ['pending', 'completed', 'cancelled', 'expired'] as const;
const TONES = {
  pending: 'waiting',
  completed: 'good',
  cancelled: 'bad',
  expired: 'neutral',
} as const satisfies Record<StaffExchangeOrder['status'], Tone>;

const LIST: List<'/admin/exchange/list'> = {
  path: '/admin/exchange/list',
  claims: { kind: 'exchange_order', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ user, amount }) => `${user.username ?? user.id}, ${amount}`,
  empty: 'exchange.empty',
  filters: [
    { name: 'user_id', label: 'exchange.user_id', kind: 'search' },
    {
      name: 'status',
      label: 'exchange.status',
      kind: 'choice',
      initial: 'pending',
      options: STATES.map((value) => ({ value, label: `exchange.states.${value}` })),
    },
  ],
  columns: [
    {
      id: 'time',
      header: 'exchange.time',
      width: 140,
      cell: (order) => <Moment at={order.create_time} />,
      csv: (order) => order.create_time,
    },
    {
      id: 'user',
      header: 'exchange.user',
      width: 160,
      cell: ({ user }) => <UserLink id={user.id} name={user.username} />,
      csv: ({ user }) => user.username ?? user.id,
    },
    {
      id: 'acceptor',
      header: 'exchange.acceptor',
      width: 160,
      cell: ({ acceptor }) => acceptor.name,
      csv: ({ acceptor }) => acceptor.name,
    },
    {
      id: 'direction',
      header: 'exchange.direction',
      width: 170,
      cell: (order) => <Direction order={order} />,
      csv: ({ direction }) => direction,
    },
    {
      id: 'amount',
      header: 'exchange.amount',
      width: 120,
      align: 'end',
      cell: ({ amount }) => <Amount value={amount} />,
      csv: ({ amount }) => amount,
    },
    {
      id: 'counter',
      header: 'exchange.counter',
      width: 140,
      align: 'end',
      cell: (order) => counterOf(order),
      csv: (order) => order.counter_amount,
    },
    {
      id: 'rate',
      header: 'exchange.rate',
      width: 90,
      align: 'end',
      optional: true,
      cell: ({ rate }) => rate,
      csv: ({ rate }) => rate,
    },
    {
      id: 'status',
      header: 'exchange.status',
      width: 140,
      cell: (order) => <State order={order} />,
      csv: ({ status }) => status,
    },
    {
      id: 'expires',
      header: 'exchange.expires',
      width: 140,
      cell: (order) => <Moment at={order.expire_time} />,
      csv: (order) => order.expire_time,
    },
    {
      id: 'finished',
      header: 'exchange.finished',
      width: 140,
      optional: true,
      cell: (order) => <Moment at={order.finish_time} />,
      csv: (order) => order.finish_time,
    },
    {
      id: 'reason',
      header: 'act.reason',
      width: 200,
      optional: true,
      cell: ({ reason }) => reason,
      csv: ({ reason }) => reason,
    },
  ],
};

/** The exchange orders to decide, and all others. */
export default function ExchangePage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (order: StaffExchangeOrder) => <RowActs order={order} />;
  return (
    <ListPage
      title={t('exchange.title')}
      list={LIST}
      {...(may('POST /admin/exchange/decide') ? { rowActs: acts } : {})}
    />
  );
}

/** What changes hands on the other side, in its own currency. */
export function counterOf(order: StaffExchangeOrder): string {
  return `${order.counter_amount} ${order.currency}`;
}

function Direction({ order }: { order: StaffExchangeOrder }) {
  const { t } = useTranslation('console');
  return t(`exchange.directions.${order.direction}`);
}

function State({ order }: { order: StaffExchangeOrder }) {
  const { t } = useTranslation('console');
  if (order.status === 'pending' && order.completion_request !== null)
    return <Badge tone="waiting">{t('exchange.second_needed')}</Badge>;
  return <Badge tone={TONES[order.status]}>{t(`exchange.states.${order.status}`)}</Badge>;
}

function RowActs({ order }: { order: StaffExchangeOrder }) {
  const { t } = useTranslation('console');
  if (order.status !== 'pending') return null;
  const name = LIST.rowName(order);
  const decide = (decision: 'completed' | 'cancelled') => (close: () => void) => (
    <DecideExchange order={order} decision={decision} onClose={close} />
  );
  return (
    <RowMenu
      name={name}
      offered={[
        { id: 'completed', label: t('exchange.complete'), dialog: decide('completed') },
        { id: 'cancelled', label: t('exchange.cancel'), tone: 'danger', dialog: decide('cancelled') },
      ]}
    />
  );
}
