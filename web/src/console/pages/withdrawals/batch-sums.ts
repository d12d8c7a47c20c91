import { subtract, sum } from '@/lib/money';

/** A payment file has this many withdrawals at most. */
export const MOST_WITHDRAWALS = 500;

type Asked = { amount: string; fee: string };

export type BatchSums = {
  /** What leaves the wallets. */
  amount: string;
  /** What the platform keeps of it. */
  fee: string;
  /** What the bank pays out. */
  payout: string;
};

/** What withdrawals add up to. */
export function batchSums(withdrawals: readonly Asked[]): BatchSums {
  const amount = sum(withdrawals.map((asked) => asked.amount));
  const fee = sum(withdrawals.map((asked) => asked.fee));
  return { amount, fee, payout: subtract(amount, fee) };
}
