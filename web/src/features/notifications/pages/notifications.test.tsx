import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { server } from '@/test/server';

const READ = '*/api/user/notifications/read';

test('the badge is capped, and hidden at zero', async () => {
  server.use(http.post('*/api/user/notifications/unread_count', () => ok({ unread_total: 100 })));
  const { unmount } = openApp('/wallet');
  expect(await screen.findByText('99+')).toBeVisible();
  unmount();
  server.use(http.post('*/api/user/notifications/unread_count', () => ok({ unread_total: 0 })));
  openApp('/wallet');
  const bell = await screen.findByRole('link', { name: 'Notifications' });
  expect(bell).toHaveTextContent('');
});

test('categories and filters are in the address', async () => {
  const { user } = openApp('/notification');
  const panel = await screen.findByRole('tabpanel', { name: 'Notifications' });
  await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(4));
  await user.click(screen.getByRole('tab', { name: 'Maintenance' }));
  await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(1));
  await user.click(screen.getByRole('tab', { name: 'Unread' }));
  expect(await screen.findByText('All read')).toBeVisible();
  expect(address()).toBe('/notification?category=maintenance&filter=unread');
});

test('opening a notification reads it at once', async () => {
  server.use(
    http.post(READ, async () => {
      await delay(50);
      return ok({ unread_total: 1 });
    }),
  );
  const { user } = openApp('/notification');
  await user.click(await screen.findByRole('button', { name: /^Deposit credited Unread/ }));
  expect(screen.getByText(/was credited to your wallet/)).toBeVisible();
  await waitFor(() =>
    expect(screen.queryByRole('button', { name: /^Deposit credited Unread/ })).not.toBeInTheDocument(),
  );
});

test('a failed marking is taken back and said', async () => {
  server.use(http.post(READ, () => refusal(500, 'Failed to mark all as read')));
  const { user } = openApp('/notification');
  await screen.findByRole('button', { name: /^Plan settled Unread/ });
  const all = screen.getByRole('button', { name: 'Mark all read' });
  await waitFor(() => expect(all).toBeEnabled());
  await user.click(all);
  expect(await screen.findByText('Failed to mark all as read')).toBeVisible();
  expect(screen.getByRole('button', { name: /^Plan settled Unread/ })).toBeVisible();
});

test('marking all empties the badge', async () => {
  server.use(http.post(READ, () => ok({ unread_total: 0 })));
  const { user } = openApp('/notification');
  const all = await screen.findByRole('button', { name: 'Mark all read' });
  await waitFor(() => expect(all).toBeEnabled());
  await user.click(all);
  await waitFor(() => expect(screen.queryByRole('button', { name: /Unread/ })).not.toBeInTheDocument());
  expect(all).toBeDisabled();
});
