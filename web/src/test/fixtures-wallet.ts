import type {
  BankCard,
  Destinations,
  FlowEntry,
  WalletAccount,
  WalletAddress,
  Withdrawal,
} from '@/lib/api/types';
import { add } from '@/lib/money';
import { at, flow } from './fixtures';

const HOUR = 3_600_000;

export const bankCard: BankCard = {
  card_name: 'North Sea Bank',
  user_name: 'Ada Lovelace',
  mobile: '+4915112345678',
  bank_account: '****3000',
  branch_name: 'Hamburg Harbour',
};

export const walletAddress: WalletAddress = { network: 'TRC20', address: 'TJRa****RTv8' };

export function destinations(over: Partial<Destinations> = {}): Destinations {
  return { bank_card: bankCard, wallet_address: null, ...over };
}

export function withdrawal(over: Partial<Withdrawal> = {}): Withdrawal {
  return {
    id: 'withdrawal-1',
    amount: '150.00',
    fee: '0.00',
    method: 'bank_card',
    status: 'pending',
    reason: null,
    time: at(-HOUR),
    decided_at: null,
    destination: { kind: 'bank_card', ...bankCard },
    ...over,
  };
}

export const withdrawals: Withdrawal[] = [
  withdrawal(),
  withdrawal({ id: 'withdrawal-2', amount: '2000.00', status: 'paid', decided_at: at(-20 * HOUR) }),
  withdrawal({
    id: 'withdrawal-3',
    amount: '300.00',
    fee: '1.00',
    method: 'wallet_address',
    destination: { kind: 'wallet_address', ...walletAddress },
    status: 'rejected',
    reason: 'The address does not belong to this network',
    decided_at: at(-40 * HOUR),
  }),
];

const HARBOR = { id: 'plan-1', plan_number: 'AD-20261118-000042', product: 'Merge Harbor' };
const COACH = { id: 'plan-5', plan_number: 'AD-20261114-000044', product: 'FitCoach Daily' };

type Posting = [FlowEntry['type'], WalletAccount, amount: string, over?: Partial<FlowEntry>];

/** Oldest first. The two lines of a transfer follow each other. */
const POSTINGS: Posting[] = [
  ['system_top_up', 'available', '15000.00', { remark: 'Invoice 2026-031' }],
  ['ad_serving', 'available', '-1980.00', { plan: HARBOR }],
  ['ad_serving', 'to_be_consumed', '1980.00', { plan: HARBOR }],
  ['discount_amount', 'to_be_consumed', '20.00', { plan: HARBOR }],
  ['ad_serving', 'available', '-4090.55', { plan: COACH }],
  ['ad_serving', 'to_be_consumed', '4090.55', { plan: COACH }],
  ['manual_payout', 'available', '-300.00', { reference: 'withdrawal-3' }],
  ['manual_payout', 'withdrawing', '300.00', { reference: 'withdrawal-3' }],
  ['manual_payout', 'available', '300.00', { reference: 'withdrawal-3' }],
  ['manual_payout', 'withdrawing', '-300.00', { reference: 'withdrawal-3' }],
  ['exchange', 'available', '-250.00', { reference: 'exchange-3' }],
  ['system_top_up', 'available', '2436.85'],
  ['profit_sharing', 'to_be_settled', '1190.00', { plan: HARBOR }],
  ['profit_sharing', 'to_be_settled', '-5.80', { plan: HARBOR }],
  ['profit_sharing', 'to_be_settled', '1300.00', { plan: COACH }],
  ['ad_billing', 'to_be_consumed', '-1240.30', { plan: HARBOR }],
  ['profit_sharing', 'to_be_settled', '-1184.20', { plan: HARBOR, transfer: true }],
  ['profit_sharing', 'available', '1184.20', { plan: HARBOR, transfer: true }],
];

const TRANSFERS: readonly FlowEntry['type'][] = ['ad_serving', 'manual_payout'];

/** The movements of a wallet, newest first. Those of each account add up to its figure of `property()`. */
export const movements: FlowEntry[] = [...POSTINGS.keys()]
  .map((place) => {
    const [type, account, amount, over] = POSTINGS[place] as Posting;
    const before = POSTINGS.slice(0, place).filter(([, other]) => other === account);
    const balance_after = before.reduce((sum, [, , change]) => add(sum, change), amount);
    const reference = over?.plan?.id ?? null;
    const transfer = TRANSFERS.includes(type);
    return flow(POSTINGS.length - place, type, amount, {
      account,
      balance_after,
      reference,
      transfer,
      ...over,
    });
  })
  .reverse();
