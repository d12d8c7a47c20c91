import type { FlowEntry } from '@/lib/api/types';
import { signOf } from '@/lib/money';

type Shown = Pick<FlowEntry, 'type' | 'amount' | 'account' | 'transfer'>;

/** The text keys of what comes into a balance and of what leaves it. Other types move in one direction only. */
const WORDS = {
  ad_serving: ['flow.word.budget_back', 'flow.word.budget_paid'],
  ad_billing: ['flow.word.spend_corrected', 'flow.word.spent'],
  discount_amount: ['flow.word.coupon_added', 'flow.word.coupon_back'],
  profit_sharing: ['flow.word.revenue_earned', 'flow.word.revenue_corrected'],
  manual_payout: ['flow.word.withdrawal_back', 'flow.manual_payout'],
  exchange: ['flow.word.exchange_in', 'flow.word.exchange_out'],
  start_up_funds: ['flow.word.lent', 'flow.word.lent_back'],
  guarantee: ['flow.word.guarantee_back', 'flow.word.guarantee_paid'],
} as const satisfies { [T in FlowEntry['type']]?: readonly [string, string] };

/** The lines of the other account: where the money of a transfer went, or came from. */
const OTHER_SIDE = {
  ad_serving: ['flow.word.budget_in', 'flow.word.budget_out'],
  manual_payout: ['flow.word.withdrawal_asked', 'flow.word.withdrawal_back'],
  profit_sharing: ['flow.word.revenue_paid_out', 'flow.word.revenue_paid_out'],
} as const;

/** The text key of a movement: what it did to the account that it shows. */
export function wordOf({ type, amount, account, transfer }: Shown) {
  const direction = signOf(amount) < 0 ? 1 : 0;
  if (type === 'manual_payout' && !transfer) return 'flow.word.withdrawal_paid';
  if (type === 'profit_sharing' && transfer) return OTHER_SIDE[type][direction];
  if ((type === 'ad_serving' || type === 'manual_payout') && account !== 'available') {
    return OTHER_SIDE[type][direction];
  }
  return type in WORDS ? WORDS[type as keyof typeof WORDS][direction] : (`flow.${type}` as const);
}
