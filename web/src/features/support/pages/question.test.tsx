import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const CONFIG = '*/api/basic_config';

test('a question is read, left for the next one, and more help is offered', async () => {
  const { user } = openApp('/account');
  await user.click(await screen.findByRole('link', { name: 'How long does a plan need to learn?' }));
  expect(await screen.findByText('Learning needs about 30-50 conversions within 7 days.')).toBeVisible();
  await user.click(screen.getByRole('link', { name: /^Next question/ }));
  expect(await screen.findByText('It is held for the plan.')).toBeVisible();
  expect(address()).toBe('/ad-center/ques-detail?id=faq-2');
  expect(screen.getByRole('link', { name: /^Previous question/ })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('the operating rules are a list, and an unknown question says so', async () => {
  const { unmount } = openApp('/ad-center/ques-detail?id=operating-rules');
  expect(await screen.findByRole('heading', { level: 1, name: 'Operating rules' })).toBeVisible();
  const rules = await screen.findByRole('region', { name: 'Operating rules' });
  expect(within(rules).getAllByRole('listitem')).toHaveLength(2);
  unmount();
  openApp('/ad-center/ques-detail?id=nope');
  expect(await screen.findByText('This question does not exist')).toBeVisible();
});

test('texts of the platform are never markup', async () => {
  server.use(
    http.get(CONFIG, () => ok(basicConfig({ operating_rules: '<img src=x onerror="alert(1)"> stays text' }))),
  );
  openApp('/ad-center/ques-detail?id=operating-rules');
  expect(await screen.findByText('<img src=x onerror="alert(1)"> stays text')).toBeVisible();
});
