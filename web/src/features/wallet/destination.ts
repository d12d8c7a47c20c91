import type { Destinations, WithdrawalMethod } from '@/lib/api/types';

export const KINDS = ['bank_card', 'wallet_address'] as const satisfies readonly WithdrawalMethod[];

/** Suggested networks. */
export const NETWORKS = ['TRC20', 'ERC20', 'BEP20'] as const;

export const CARD_FIELDS = ['card_name', 'user_name', 'mobile', 'bank_account', 'branch_name'] as const;
export const ADDRESS_FIELDS = ['network', 'address'] as const;

export type CardValues = Record<(typeof CARD_FIELDS)[number], string>;
export type AddressValues = Record<(typeof ADDRESS_FIELDS)[number], string>;

export type FieldError =
  | 'required'
  | 'mobile_invalid'
  | 'account_invalid'
  | 'network_invalid'
  | 'address_invalid';

const LONGEST_NAME = 100;
const LONGEST_NETWORK = 20;

/** The inputs' maximum lengths. */
export const MAX_LENGTHS = {
  name: LONGEST_NAME,
  network: LONGEST_NETWORK,
  account: 64,
  mobile: 32,
  address: 128,
};

export function checkCard(values: CardValues): Partial<Record<keyof CardValues, FieldError>> {
  const found: Partial<Record<keyof CardValues, FieldError>> = {};
  if (!/^\+?\d{5,20}$/.test(compact(values.mobile))) found.mobile = 'mobile_invalid';
  if (!/^[a-z\d]{8,34}$/i.test(compact(values.bank_account))) found.bank_account = 'account_invalid';
  return { ...found, ...missing(CARD_FIELDS, values) };
}

export function checkAddress(values: AddressValues): Partial<Record<keyof AddressValues, FieldError>> {
  const found: Partial<Record<keyof AddressValues, FieldError>> = {};
  if (!/^[a-z\d _.-]{1,20}$/i.test(values.network.trim())) found.network = 'network_invalid';
  if (!/^[a-z\d]{16,128}$/i.test(values.address.trim())) found.address = 'address_invalid';
  return { ...found, ...missing(ADDRESS_FIELDS, values) };
}

/** Prefills the form from the bound card, except for the account number, which is only known masked. */
export function startCard({ bank_card }: Destinations): CardValues {
  return {
    card_name: bank_card?.card_name ?? '',
    user_name: bank_card?.user_name ?? '',
    mobile: bank_card?.mobile ?? '',
    bank_account: '',
    branch_name: bank_card?.branch_name ?? '',
  };
}

export function startAddress({ wallet_address }: Destinations): AddressValues {
  return { network: wallet_address?.network ?? '', address: '' };
}

/** A long number in groups of four, for comparison with a document. */
export function grouped(account: string): string {
  return compact(account)
    .toUpperCase()
    .replace(/(.{4})(?=.)/g, '$1 ');
}

function missing<K extends string>(fields: readonly K[], values: Record<K, string>) {
  const empty = fields.filter((field) => values[field].trim() === '');
  return Object.fromEntries(empty.map((field) => [field, 'required'])) as Partial<Record<K, FieldError>>;
}

/** Removes grouping blanks and hyphens. */
function compact(text: string): string {
  return text.replace(/[ -]/g, '');
}
