import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText, text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useStaff } from '../../session/use-staff';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { counterOf, type StaffExchangeOrder } from './exchange';

type Props = { order: StaffExchangeOrder; decision: 'completed' | 'cancelled'; onClose: () => void };

/** Completes an order once the other currency has changed hands, or cancels it. */
export function DecideExchange({ order, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff();
  const isCompleted = decision === 'completed';
  const gives = order.direction === 'wallet_to_currency';
  const asked = order.completion_request;
  const name = order.user.username ?? order.user.id;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/exchange/decide',
        item: { kind: 'exchange_order', id: order.id },
        secondPerson: 'same_act',
        title: t(isCompleted ? 'exchange.complete_title' : 'exchange.cancel_title'),
        submit: t(isCompleted ? 'exchange.complete' : 'exchange.cancel'),
        ...(isCompleted ? {} : { tone: 'danger' as const }),
        intro: (
          <>
            <Facts
              facts={[
                { label: t('exchange.user'), value: name },
                { label: t('exchange.acceptor'), value: order.acceptor.name },
                { label: t('exchange.direction'), value: t(`exchange.directions.${order.direction}`) },
                { label: t('exchange.counter'), value: counterOf(order) },
              ]}
            />
            {asked ? (
              <Facts
                facts={[
                  { label: t('exchange.asked_by'), value: <StaffName id={asked.requested_by} /> },
                  { label: t('exchange.asked_at'), value: <Moment at={asked.requested_at} /> },
                  { label: t('act.reason'), value: asked.reason ?? t('list.none') },
                ]}
              />
            ) : null}
            {isCompleted && asked?.requested_by === own.id ? <p>{t('exchange.own_request')}</p> : null}
          </>
        ),
        schema: z.object({ reason: isCompleted ? optionalText(REASON_LIMIT) : text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional={isCompleted} />,
        changes: () => [
          {
            what: t('exchange.status'),
            before: t('exchange.states.pending'),
            after: t(`exchange.states.${decision}`),
          },
          {
            what: t(wordsOf(isCompleted, gives)),
            before: null,
            after: <Amount value={order.amount} />,
          },
        ],
        body: ({ reason }) => ({ id: order.id, decision, ...(reason === '' ? {} : { reason }) }),
        done: () => ({
          text: t(isCompleted ? 'exchange.complete_done' : 'exchange.cancel_done', { name }),
          links: [{ label: t('exchange.see_user'), to: `/users/${order.user.id}` }],
        }),
        touches: [
          consoleKeys.list('/admin/exchange/list'),
          consoleKeys.one('/admin/user/detail', order.user.id),
        ],
      }}
    />
  );
}

function wordsOf(isCompleted: boolean, gives: boolean) {
  if (isCompleted) return gives ? 'exchange.leaves' : 'exchange.arrives';
  return gives ? 'exchange.returns' : 'exchange.nothing_arrives';
}
