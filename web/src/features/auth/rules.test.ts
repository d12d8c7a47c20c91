import { expect, test } from 'vitest';
import {
  checkEmail,
  checkPhone,
  checkRegister,
  isAssertion,
  registerBody,
  registerFieldOf,
  returnPath,
  signatureOf,
  welcomePath,
} from './rules';

const valid = {
  username: 'alice',
  nickname: '',
  password: 'correct horse',
  confirm_password: 'correct horse',
  email: 'alice@example.com',
  phone: '+49 (151) 234-5678',
  licenseKey: 'DEMO-LICENSE-0001',
};

test('a complete registration has no errors', () => {
  expect(Object.values(checkRegister(valid)).filter(Boolean)).toEqual([]);
});

test('each field has its own message', () => {
  const empty = Object.fromEntries(Object.keys(valid).map((key) => [key, ''])) as typeof valid;
  expect(checkRegister(empty)).toEqual({
    username: 'username_required',
    password: 'password_required',
    confirm_password: 'confirm_required',
    email: 'email_required',
    phone: 'phone_required',
    licenseKey: 'license_required',
  });
  expect(checkRegister({ ...valid, confirm_password: 'other' }).confirm_password).toBe('passwords_differ');
  expect(checkRegister({ ...valid, password: 'short' }).password).toBe('password_short');
  expect(checkRegister({ ...valid, password: ' '.repeat(8) }).password).toBe('password_blank');
});

test('emails and phones', () => {
  for (const email of ['a@b', 'a b@c.de', '@c.de', 'a@@c.de', 'a@c..de'])
    expect(checkEmail(email)).toBe('email_invalid');
  expect(checkEmail('a+b@c.co.uk')).toBeUndefined();
  for (const phone of ['12', 'abc', '++4912345']) expect(checkPhone(phone)).toBe('phone_invalid');
});

test('outer blanks are not sent, except in passwords', () => {
  const body = registerBody({
    ...valid,
    username: ' alice ',
    password: ' blank around ',
    confirm_password: ' blank around ',
  });
  expect(body).toMatchObject({ username: 'alice', password: ' blank around ' });
  expect(body).not.toHaveProperty('nickname');
  expect(registerBody({ ...valid, nickname: ' Al ' })).toMatchObject({ nickname: 'Al' });
});

test('errors of the server find their field', () => {
  expect(registerFieldOf('phone', 'VALIDATION')).toBe('phone');
  expect(registerFieldOf(null, 'LICENSE_USED')).toBe('licenseKey');
  expect(registerFieldOf(null, 'INTERNAL')).toBeNull();
});

test('only a path of the app is gone back to', () => {
  expect(returnPath('/plan?status=putting', '/ad-center')).toBe('/plan?status=putting');
  expect(returnPath('//evil.example', '/ad-center')).toBe('/ad-center');
  expect(returnPath('https://evil.example', '/ad-center')).toBe('/ad-center');
  expect(returnPath(undefined, '/ad-center')).toBe('/ad-center');
});

test('three parts with two dots are an assertion, anything else is a token', () => {
  expect(isAssertion('eyJh-_0.eyJz.c2ln')).toBe(true);
  for (const token of [
    'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
    'a.b',
    'a..c',
    'a.b.c.d',
    'a.b.c=',
    '',
  ]) {
    expect(isAssertion(token)).toBe(false);
  }
  expect(signatureOf('eyJh.eyJz.c2ln')).toBe('c2ln');
});

test('opening an account takes over the query, but no assertion', () => {
  const path = (query: string) => welcomePath(new URLSearchParams(query));
  expect(path('token=host-token&lang=de')).toBe('/ad-welcome?token=host-token&lang=de');
  expect(path('token=a.b.c&lang=de')).toBe('/ad-welcome?lang=de');
});
