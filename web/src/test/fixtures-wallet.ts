import type { BankCard, Destinations, WalletAddress, Withdrawal } from '@/lib/api/types';
import { at } from './fixtures';

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
