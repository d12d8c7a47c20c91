import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { server } from '@/test/server';

const READ = '*/api/user/notifications/read';

test('the badge is capped, and hidden at zero', async () => {
  server.use(
    http.post('*/api/user/notifications/unread_count', () => ok({ unread_total: 100, sequence: 7 })),
  );
  const { unmount } = openApp('/wallet');
  expect(await screen.findByText('99+')).toBeVisible();
  unmount();
  server.use(http.post('*/api/user/notifications/unread_count', () => ok({ unread_total: 0, sequence: 8 })));
  openApp('/wallet');
  const bell = await screen.findByRole('link', { name: 'Notifications' });
  expect(bell).toHaveTextContent('');
});

test('categories and filters are in the address', async () => {
  const { user } = openApp('/notification');
  const panel = await screen.findByRole('tabpanel', { name: 'Notifications' });
  await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(5));
  await user.click(screen.getByRole('tab', { name: 'Maintenance' }));
  await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(1));
  await user.click(screen.getByRole('tab', { name: 'Unread' }));
  expect(await screen.findByText('All read')).toBeVisible();
  expect(address()).toBe('/notification?category=maintenance&filter=unread');
});

test('a tap reads a notification at once and leads to what it is about', async () => {
  const read: unknown[] = [];
  server.use(
    http.post(READ, async ({ request }) => {
      read.push(await request.json());
      await delay(50);
      return ok({ unread_total: 1, sequence: 8 });
    }),
  );
  const { user } = openApp('/notification');
  const settled = await screen.findByRole('link', { name: /^Plan settled Unread/ });
  expect(settled).toHaveTextContent('Plan AD-20261115-000043 was settled');
  await user.click(settled);
  expect(await screen.findByRole('heading', { name: 'Plan detail' })).toBeVisible();
  expect(address()).toBe('/plan/detail?id=plan-7');
  expect(read).toEqual([{ id: 'notification-2' }]);
  expect(await screen.findByRole('link', { name: 'Notifications, 1 unread' })).toBeVisible();
});

test('a notification that leads nowhere opens its text', async () => {
  const { user } = openApp('/notification');
  await user.click(await screen.findByRole('button', { name: /^Maintenance on Sunday/ }));
  expect(screen.getByText(/the console may be slow/)).toBeVisible();
});

test('security comes first within its day, and is no promotion', async () => {
  openApp('/notification');
  await screen.findByText('New login');
  const panel = screen.getByRole('tabpanel', { name: 'Notifications' });
  const [first] = within(panel).getAllByRole('listitem');
  expect(first).toHaveTextContent(/New login.*Security · /);
  expect(first).not.toHaveTextContent('Activities');
});

test('a failed marking is taken back and said', async () => {
  server.use(http.post(READ, () => refusal(500, 'Failed to mark all as read')));
  const { user } = openApp('/notification');
  await screen.findByRole('link', { name: /^Plan settled Unread/ });
  const all = screen.getByRole('button', { name: 'Mark all read' });
  await waitFor(() => expect(all).toBeEnabled());
  await user.click(all);
  expect(await screen.findByText('Failed to mark all as read')).toBeVisible();
  expect(screen.getByRole('link', { name: /^Plan settled Unread/ })).toBeVisible();
});

test('marking all empties the badge', async () => {
  server.use(http.post(READ, () => ok({ unread_total: 0, sequence: 8 })));
  const { user } = openApp('/notification');
  const all = await screen.findByRole('button', { name: 'Mark all read' });
  await waitFor(() => expect(all).toBeEnabled());
  await user.click(all);
  await waitFor(() => expect(screen.queryByText('Unread', { selector: 'li *' })).not.toBeInTheDocument());
  expect(all).toBeDisabled();
});
