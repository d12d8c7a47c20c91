import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import { columnsOf, userColumn } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge, type Tone } from '../../ui/badge';
import { DecideExchange } from './decide-exchange';

export type StaffExchangeOrder = components['schemas']['StaffExchangeOrder'];

const STATES = ['pending', 'completed', 'cancelled', 'expired'] as const;
const TONES = {
  pending: 'waiting',
  completed: 'good',
  cancelled: 'bad',
  expired: 'neutral',
} as const satisfies Record<StaffExchangeOrder['status'], Tone>;

const { amount, moment, text } = columnsOf<StaffExchangeOrder>();

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
    moment('create_time', 'exchange.time'),
    userColumn('exchange.user', { width: 160 }),
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
    amount('amount', 'exchange.amount'),
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
    moment('expire_time', 'exchange.expires'),
    moment('finish_time', 'exchange.finished', { optional: true }),
    text('reason', 'act.reason', { optional: true }),
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
