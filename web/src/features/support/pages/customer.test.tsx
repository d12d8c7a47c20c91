import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test, vi } from 'vitest';
import { ok } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { serviceEntry } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const INSIDE = serviceEntry({
  id: 'inside',
  type: 1,
  url: 'https://support.example.com/chat?a=1&b={subject}',
  label: 'Chat',
  hours: 'Mon–Fri, 9–18 CET',
  answer_time: 'Within an hour',
});

test('a contact inside the app is shown in a frame that may do little', async () => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ customer_service_url: [INSIDE] }))));
  openApp(`/customer?${new URLSearchParams({ url: INSIDE.url, subject: 'Plan AD-1' })}`);
  const frame = await screen.findByTitle('Customer service');
  expect(frame).toHaveAttribute('src', 'https://support.example.com/chat?a=1&b=Plan%20AD-1');
  expect(screen.getByText('Mon–Fri, 9–18 CET · Within an hour')).toBeVisible();
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
  await user.click(await screen.findByRole('button', { name: /^Customer service 1 - Chat/ }));
  await waitFor(() => expect(address()).toBe(`/customer?${new URLSearchParams({ url: INSIDE.url })}`));
  expect(await screen.findByTitle('Customer service')).toHaveAttribute(
    'src',
    'https://support.example.com/chat?a=1&b=',
  );
});

test('a page that does not load says so after six seconds, until it comes after all', async () => {
  const sixSeconds = vi.spyOn(globalThis, 'setTimeout');
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ customer_service_url: [INSIDE] }))));
  openApp(`/customer?${new URLSearchParams({ url: INSIDE.url })}`);
  const frame = await screen.findByTitle('Customer service');
  const [timer] = sixSeconds.mock.calls.find(([, delay]) => delay === 6_000) ?? [];
  expect(screen.queryByText('The chat has not opened')).not.toBeInTheDocument();
  act(() => (timer as () => void)());
  const alert = screen.getByRole('alert');
  expect(alert).toHaveTextContent('The chat has not opened');
  const url = 'https://support.example.com/chat?a=1&b=';
  expect(within(alert).getByRole('link', { name: 'Open in browser' })).toHaveAttribute('href', url);
  expect(within(alert).getByRole('button', { name: 'Copy address' })).toBeVisible();
  fireEvent.load(frame);
  expect(screen.queryByText('The chat has not opened')).not.toBeInTheDocument();
  // A browser's own page of an error counts as loaded, so the ways out stay.
  expect(screen.getByRole('link', { name: 'Open in browser' })).toHaveAttribute('href', url);
});
