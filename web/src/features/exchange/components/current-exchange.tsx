import { Hourglass } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { CancelDialog } from '@/domain/cancel-dialog';
import { useFormats } from '@/i18n/format';
import type { ExchangeOrder } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Card, Row, Rows } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useOverlay } from '@/ui/use-overlay';
import { useCancelExchange } from '../api/queries';
import { useTimeLeft } from '../use-time-left';
import { Countdown } from './countdown';
import styles from './current-exchange.module.css';
import { sidesOf } from './exchange-text';
import { RateRow } from './rate-row';
import { Sides } from './sides';
import { StatusBadge } from './status-badge';

type Props = { order: ExchangeOrder; wallet: string };

/** The open order, its next step, and the button to cancel it. */
export function CurrentExchange({ order, wallet }: Props) {
  const { t } = useTranslation();
  // One overlay per order: if the order leaves while the dialog is open, the dialog must not show the next order.
  const cancel = useOverlay(`exchange-cancel-${order.id}`);
  const sides = sidesOf(order, order.amount, order.counter_amount, wallet);
  return (
    <Card title={t('exchange.current')} action={<StatusBadge status={order.status} />}>
      <div className={stack.gap4}>
        <Sides give={sides.give} get={sides.get} />
        <p className={styles.next}>
          <Hourglass size={18} aria-hidden="true" />
          <span>{t(`exchange.next.${order.direction}`, { name: order.acceptor.name })}</span>
        </p>
        <Rows>
          <Row label={t('exchange.acceptor')}>{order.acceptor.name}</Row>
          <RateRow terms={order} wallet={wallet} />
          {order.expire_time ? <Expiry until={order.expire_time} /> : null}
          <OrderId id={order.id} />
        </Rows>
        <Button tone="danger" wide onClick={cancel.open}>
          {t('exchange.cancel')}
        </Button>
      </div>
      {cancel.isOpen ? <Question order={order} wallet={wallet} onClose={cancel.close} /> : null}
    </Card>
  );
}

function Expiry({ until }: { until: string }) {
  const { t } = useTranslation();
  const left = useTimeLeft(until);
  return (
    <Row label={t('exchange.expires')}>
      <Countdown until={until} leftMs={left} />
    </Row>
  );
}

export function OrderId({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <Row label={t('exchange.order_id')}>
      <span className={styles.id}>
        {id}
        <CopyButton text={id} label={t('exchange.copy_id')} />
      </span>
    </Row>
  );
}

function Question({ order, wallet, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormats();
  const mutation = useCancelExchange(() => toast(t('exchange.cancelled')));
  return (
    <CancelDialog
      id={order.id}
      mutation={mutation}
      texts={{ title: t('exchange.cancel_title'), keep: t('exchange.keep'), cancel: t('exchange.cancel') }}
      onClose={onClose}
    >
      <p>{t(`exchange.cancel_text.${order.direction}`, { amount: `${money(order.amount)} ${wallet}` })}</p>
    </CancelDialog>
  );
}
