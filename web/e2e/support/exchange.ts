import type { components } from '../../src/lib/api/schema';
import { type Api, newAdvertiser } from './api';
import { setPayPassword } from './pay-password';

type Schemas = components['schemas'];

const MINUTE_MS = 60_000;

/** An advertiser with money and a transaction password. */
export async function newExchanger(staff: Api, deposit = '1000.00') {
  const advertiser = await newAdvertiser(staff);
  await staff.deposit(advertiser.user.id, deposit);
  await setPayPassword(advertiser.api);
  return advertiser;
}

type Terms = Partial<Schemas['CreateAcceptanceCodeRequest']>;

/** The code of an offer of a new acceptor to a user. */
export async function newCode(staff: Api, userId: string, terms: Terms = {}): Promise<string> {
  const acceptor = await staff.post<Schemas['Acceptor']>('/admin/acceptor/create', {
    kind: 'enterprise',
    name: 'Harbour Exchange Ltd',
    rating: '4.5',
  });
  const { code } = await staff.post<Schemas['AcceptanceCode']>('/admin/acceptance_code/create', {
    acceptor_id: acceptor.id,
    user_id: userId,
    direction: 'wallet_to_currency',
    currency: 'JPY',
    rate: '153.9951',
    min: '10.00',
    max: '500.00',
    expires_at: new Date(Date.now() + 10 * MINUTE_MS).toISOString(),
    ...terms,
  });
  return code;
}
