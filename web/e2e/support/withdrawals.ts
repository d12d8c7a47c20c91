import type { Api } from './api';
import { md5, PAY_PASSWORD, setPayPassword } from './pay-password';

/** Where withdrawals go. */
export const CARD = {
  kind: 'bank_card',
  card_name: 'North Sea Bank',
  user_name: 'Ada Lovelace',
  mobile: '+4915112345678',
  bank_account: 'DE89370400440532013000',
  branch_name: 'Hamburg Harbour',
};

/** Sets what a withdrawal needs, and asks for one. */
export async function askForWithdrawal(api: Api, amount: string): Promise<void> {
  const password = md5(PAY_PASSWORD);
  await setPayPassword(api);
  await api.post('/bank_card/edit', { ...CARD, password });
  await askAgain(api, amount);
}

/** Asks for another withdrawal, where one was asked for before. */
export async function askAgain(api: Api, amount: string): Promise<void> {
  await api.post('/user/withdraw', { amount, method: 'bank_card', password: md5(PAY_PASSWORD) });
}
