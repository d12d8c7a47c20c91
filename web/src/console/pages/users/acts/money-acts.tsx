import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { Property } from '@/lib/api/types';
import { add, subtract } from '@/lib/money';
import type { Change } from '../../../act/act';
import type { Offered } from '../../../act/act-button';
import { ActDialog } from '../../../act/act-dialog';
import { AmountInput, LongInput, REASON_LIMIT, ReasonInput } from '../../../act/inputs';
import { amount, amountOf, optionalText, text } from '../../../act/values';
import type { StaffPostPath } from '../../../api/call';
import { consoleKeys } from '../../../api/keys';
import { useMay } from '../../../session/use-staff';
import { Amount } from '../../../ui/amount';
import type { UserDetail } from '../user';

type Figure = 'available_funds' | 'guarantee' | 'start_up_funds_outstanding';
type Effect = { figure: Figure; sign: 1 | -1 };

type MoneyAct = {
  id:
    | 'deposit'
    | 'chargeback'
    | 'recharge_deduction'
    | 'membership'
    | 'start_up_grant'
    | 'start_up_return'
    | 'guarantee_deposit'
    | 'guarantee_return';
  path: Extract<StaffPostPath, `/admin/wallet/${string}`>;
  action?: 'grant' | 'return' | 'deposit';
  /** Whether the user reads a remark, and whether there must be one. */
  remark: 'required' | 'optional' | 'none';
  effects: readonly Effect[];
  tone?: 'danger';
};

/** What staff can post to a wallet, and which figures it moves. */
const ACTS: readonly MoneyAct[] = [
  {
    id: 'deposit',
    path: '/admin/wallet/deposit',
    remark: 'required',
    effects: [{ figure: 'available_funds', sign: 1 }],
  },
  {
    id: 'chargeback',
    path: '/admin/wallet/chargeback',
    remark: 'required',
    effects: [{ figure: 'available_funds', sign: -1 }],
    tone: 'danger',
  },
  {
    id: 'recharge_deduction',
    path: '/admin/wallet/recharge_deduction',
    remark: 'required',
    effects: [{ figure: 'available_funds', sign: -1 }],
    tone: 'danger',
  },
  {
    id: 'membership',
    path: '/admin/wallet/membership',
    remark: 'none',
    effects: [{ figure: 'available_funds', sign: -1 }],
  },
  {
    id: 'start_up_grant',
    path: '/admin/wallet/start_up_funds',
    action: 'grant',
    remark: 'none',
    effects: [
      { figure: 'available_funds', sign: 1 },
      { figure: 'start_up_funds_outstanding', sign: 1 },
    ],
  },
  {
    id: 'start_up_return',
    path: '/admin/wallet/start_up_funds',
    action: 'return',
    remark: 'none',
    effects: [
      { figure: 'available_funds', sign: -1 },
      { figure: 'start_up_funds_outstanding', sign: -1 },
    ],
  },
  {
    id: 'guarantee_deposit',
    path: '/admin/wallet/guarantee',
    action: 'deposit',
    remark: 'optional',
    effects: [
      { figure: 'available_funds', sign: -1 },
      { figure: 'guarantee', sign: 1 },
    ],
  },
  {
    id: 'guarantee_return',
    path: '/admin/wallet/guarantee',
    action: 'return',
    remark: 'optional',
    effects: [
      { figure: 'available_funds', sign: 1 },
      { figure: 'guarantee', sign: -1 },
    ],
  },
];

/** The postings that the member's role may make for a user. */
export function useMoneyActs(user: UserDetail): Offered[] {
  const { t } = useTranslation('console');
  const may = useMay();
  return ACTS.filter(({ path }) => may(`POST ${path}`)).map((act) => ({
    id: act.id,
    label: t(`users.money.${act.id}`),
    ...(act.tone === undefined ? {} : { tone: act.tone }),
    dialog: (close) => <MoneyActDialog act={act} user={user} onClose={close} />,
  }));
}

type Props = { act: MoneyAct; user: UserDetail; onClose: () => void };

function MoneyActDialog({ act, user, onClose }: Props) {
  const { t } = useTranslation('console');
  const name = t(`users.money.${act.id}`);
  const remark = act.remark === 'required' ? text(REASON_LIMIT) : optionalText(REASON_LIMIT);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: act.path,
        item: { kind: 'user', id: user.id },
        title: t('users.money_title', { act: name, name: user.username }),
        submit: t('users.post'),
        ...(act.tone === undefined ? {} : { tone: act.tone }),
        intro: <p>{t(`users.money_meaning.${act.id}`)}</p>,
        schema: z.object({ amount: amount(), remark, reason: optionalText(REASON_LIMIT) }),
        initial: { amount: '', remark: '', reason: '' },
        fields: (
          <>
            <AmountInput name="amount" label={t('act.amount')} />
            {act.remark === 'none' ? null : (
              <LongInput
                name="remark"
                label={t('users.remark')}
                limit={REASON_LIMIT}
                optional={act.remark === 'optional'}
              />
            )}
            <ReasonInput optional />
          </>
        ),
        changes: (values) =>
          effectsOn(user.property, act.effects, amountOf(values.amount)).map(
            ({ figure, before, after }): Change => ({
              what: t(`users.figure.${figure}`),
              before: <Amount value={before} />,
              after: <Amount value={after} />,
            }),
          ),
        body: (values) =>
          ({
            user_id: user.id,
            amount: amountOf(values.amount),
            ...(act.action === undefined ? {} : { action: act.action as never }),
            ...(act.remark === 'none' || values.remark === '' ? {} : { remark: values.remark }),
            ...(values.reason === '' ? {} : { reason: values.reason }),
          }) as never,
        done: () => ({ text: t('users.posted', { act: name, name: user.username }) }),
        touches: [consoleKeys.one('/admin/user/detail', user.id), consoleKeys.list('/admin/user/list')],
      }}
    />
  );
}

type Moved = { figure: Figure; before: string; after: string };

/** The figures of a wallet before and after an amount has moved. */
function effectsOn(property: Property, effects: readonly Effect[], moved: string): Moved[] {
  return effects.map(({ figure, sign }) => ({
    figure,
    before: property[figure],
    after: sign === 1 ? add(property[figure], moved) : subtract(property[figure], moved),
  }));
}
