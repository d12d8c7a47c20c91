import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const INSIDE = { id: 'inside', type: 1, url: 'https://support.example.com/chat?a=1&b=2', label: 'Chat' };

test('a contact inside the app is shown in a frame that may do little', async () => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ customer_service_url: [INSIDE] }))));
  openApp(`/customer?url=${encodeURIComponent(INSIDE.url)}`);
  const frame = await screen.findByTitle('Customer service');
  expect(frame).toHaveAttribute('src', INSIDE.url);
  expect(frame).toHaveAttribute('sandbox', expect.not.stringContaining('allow-top-navigation'));
});

test('a page that no contact names is refused, with a way on', async () => {
  const { user } = openApp(`/customer?url=${encodeURIComponent('https://evil.example/')}`);
  expect(await screen.findByText('This page cannot be opened here')).toBeVisible();
  expect(screen.queryByTitle('Customer service')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'See contacts' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('a refused page leads to a contact inside the app', async () => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ customer_service_url: [INSIDE] }))));
  const { user } = openApp('/customer?url=nothing');
  await user.click(await screen.findByRole('button', { name: 'See contacts' }));
  await user.click(await screen.findByRole('button', { name: 'Customer service 1 - Chat' }));
  await waitFor(() => expect(address()).toBe(`/customer?url=${encodeURIComponent(INSIDE.url)}`));
  expect(await screen.findByTitle('Customer service')).toHaveAttribute('src', INSIDE.url);
});
