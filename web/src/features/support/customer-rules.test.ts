import { expect, test } from 'vitest';
import { decideFrame } from './customer-rules';

const CONTACTS = [{ url: 'https://support.example/chat' }, { url: 'not an address' }];
const OWN = 'https://adfolio.example';
const decide = (url: string | null, contacts = CONTACTS) => decideFrame(url, contacts, OWN);

test('a page of a contact’s origin is shown in a sandbox', () => {
  expect(decide('https://support.example/chat?room=1')).toEqual({
    allowed: true,
    src: 'https://support.example/chat?room=1',
    sandbox: expect.stringContaining('allow-same-origin'),
  });
});

test.each([
  null,
  '',
  'support.example',
  'https://evil.example/https://support.example/',
  'https://support.example.evil.example/',
  'https://support.example@evil.example/',
  'https://user@support.example/chat',
  'http://support.example/chat',
  'https://support.example:8443/chat',
  'javascript:alert(1)',
  'data:text/html,hello',
  'blob:https://support.example/1',
])('%j is refused', (url) => {
  expect(decide(url)).toEqual({ allowed: false });
});

test('nothing is shown while no contact is known', () => {
  expect(decide('https://support.example/chat', [])).toEqual({ allowed: false });
});

test('a page of the own origin stays without its rights', () => {
  const decision = decide(`${OWN}/chat`, [{ url: `${OWN}/chat` }]);
  expect(decision).toMatchObject({ allowed: true, sandbox: expect.not.stringContaining('same-origin') });
});
