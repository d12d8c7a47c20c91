import { expect, test } from 'vitest';
import { contactAddress } from './address';

const ALICE = { username: 'alice & co', user_id: 'user-1', subject: 'Deposit', lang: 'de' };
const VISITOR = { username: '', user_id: '', subject: '', lang: 'en' };
const of = (url: string) => contactAddress(url, ALICE);

test('placeholders in query and fragment are filled in, encoded', () => {
  expect(of('https://a.example/{username}?n={username}&i={user_id}#{subject}/{lang}')).toBe(
    'https://a.example/{username}?n=alice%20%26%20co&i=user-1#Deposit/de',
  );
  expect(contactAddress('https://a.example/?s={subject}', { ...ALICE, subject: 'De\u00adposit' })).toBe(
    'https://a.example/?s=Deposit',
  );
  expect(of('https://a.example/?n=%7Busername%7D')).toBe('https://a.example/?n=alice%20%26%20co');
  expect(of('https://a.example/?n={unknown}')).toContain('n={unknown}&name=');
  expect(contactAddress('https://a.example/?n={username}&l={lang}', VISITOR)).toBe(
    'https://a.example/?n=&l=en',
  );
});

test('what is filled in cannot add parameters or leave the query', () => {
  const mallory = { ...ALICE, username: '{subject}&admin=1#x', subject: 'a=b' };
  expect(contactAddress('https://a.example/?n={username}', mallory)).toBe(
    'https://a.example/?n=%7Bsubject%7D%26admin%3D1%23x',
  );
});

test('an address without placeholders gets what is known as parameters', () => {
  expect(of('https://a.example/chat')).toBe('https://a.example/chat?name=alice%20%26%20co&subject=Deposit');
  expect(of('https://a.example/chat?a=1+2#room')).toBe(
    'https://a.example/chat?a=1+2&name=alice%20%26%20co&subject=Deposit#room',
  );
  expect(of('https://a.example/chat?name=queue')).toBe('https://a.example/chat?name=queue&subject=Deposit');
  expect(contactAddress('https://a.example/chat?a=1&b=2', VISITOR)).toBe('https://a.example/chat?a=1&b=2');
  expect(contactAddress('https://a.example/chat?', VISITOR)).toBe('https://a.example/chat?');
  expect(of('mailto:help@a.example')).toBe('mailto:help@a.example');
});
