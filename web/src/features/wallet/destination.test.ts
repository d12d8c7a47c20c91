import { expect, test } from 'vitest';
import { destinations, walletAddress } from '@/test/fixtures-wallet';
import { checkAddress, checkCard, grouped, startAddress, startCard } from './destination';

const card = {
  card_name: 'North Sea Bank',
  user_name: 'Ada Lovelace',
  mobile: '+49 151 1234-5678',
  bank_account: 'de89 3704 0044 0532 0130 00',
  branch_name: 'Hamburg',
};

test('numbers may be grouped as people write them', () => {
  expect(checkCard(card)).toEqual({});
  expect(grouped(card.bank_account)).toBe('DE89 3704 0044 0532 0130 00');
});

test('every field of a card is needed, and each has its form', () => {
  const empty = Object.fromEntries(Object.keys(card).map((field) => [field, ' '])) as typeof card;
  expect(new Set(Object.values(checkCard(empty)))).toEqual(new Set(['required']));
  expect(Object.keys(checkCard(empty))).toHaveLength(5);
  expect(checkCard({ ...card, mobile: 'call me' })).toEqual({ mobile: 'mobile_invalid' });
  expect(checkCard({ ...card, mobile: '+1234' })).toEqual({ mobile: 'mobile_invalid' });
  // A masked account, sent back by mistake.
  expect(checkCard({ ...card, bank_account: '****3000' })).toEqual({ bank_account: 'account_invalid' });
  expect(checkCard({ ...card, bank_account: '1234567' })).toEqual({ bank_account: 'account_invalid' });
});

test('an address has a network and no blanks', () => {
  const good = { network: 'TRC20', address: ' TJRabPrwbZy45sbavfcjinPJC18kjpRTv8 ' };
  expect(checkAddress(good)).toEqual({});
  expect(checkAddress({ ...good, network: 'net<work' })).toEqual({ network: 'network_invalid' });
  expect(checkAddress({ ...good, address: 'short' })).toEqual({ address: 'address_invalid' });
  expect(checkAddress({ network: '', address: '' })).toEqual({ network: 'required', address: 'required' });
});

test('a form begins with what is bound but for the masked account', () => {
  const bound = destinations({ wallet_address: walletAddress });
  expect(startCard(bound)).toMatchObject({ card_name: 'North Sea Bank', bank_account: '' });
  expect(startAddress(bound)).toEqual({ network: 'TRC20', address: '' });
});
