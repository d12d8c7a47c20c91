import { screen, waitFor } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { follow } from '@/test/fixtures-account';
import { server } from '@/test/server';

const FOLLOWS = '*/api/assistance/list';
const FOLLOW = '*/api/assistance/follow';

test('an operator is followed once, however often it is tapped', async () => {
  const sent: unknown[] = [];
  server.use(
    http.get(FOLLOWS, () =>
      ok(
        sent.length > 0
          ? { items: [follow()], next_cursor: null, current_operator_id: 'operator-1' }
          : { items: [], next_cursor: null, current_operator_id: null },
      ),
    ),
    http.post(FOLLOW, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok(follow());
    }),
  );
  const { user } = openApp('/ad-center/operated');
  expect(await screen.findByText('You follow nobody yet')).toBeVisible();
  expect(screen.getByText('No records yet')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Follow' }));
  const id = screen.getByLabelText('Operator ID');
  expect(id).toHaveAccessibleDescription(/^Please enter the operator ID/);
  await user.type(id, ' operator-1 ');
  await user.dblClick(screen.getByRole('button', { name: 'Follow' }));
  expect(await screen.findByText('Submitted successfully')).toBeVisible();
  expect(await screen.findByText('Following')).toBeVisible();
  expect(sent).toEqual([{ operator_id: 'operator-1' }]);
  expect(id).toHaveValue('');
});

test('an id that is unknown or current is explained at its field', async () => {
  let reason = 'FOLLOW_ID_ERROR';
  server.use(http.post(FOLLOW, () => refusal(400, 'Refused', { reason, field: 'operator_id' })));
  const { user } = openApp('/ad-center/operated');
  const id = await screen.findByLabelText('Operator ID');
  const button = await screen.findByRole('button', { name: 'Follow this operator instead' });
  await user.type(id, 'nope');
  await user.click(button);
  await waitFor(() => expect(id).toHaveAccessibleDescription(/^Follow ID error/));
  expect(id).toHaveFocus();
  reason = 'FOLLOW_ID_CURRENT';
  await user.click(button);
  await waitFor(() => expect(id).toHaveAccessibleDescription(/^This is the operator you already follow/));
  expect(id).toHaveValue('nope');
});

test('follow records load on, and a failed load can be asked again', async () => {
  let isBroken = true;
  server.use(
    http.get(FOLLOWS, ({ request }) => {
      if (isBroken) return refusal(500, 'Server error');
      const cursor = new URL(request.url).searchParams.get('cursor');
      const items = [
        cursor
          ? follow({ operator_id: 'operator-2', operator_name: 'Second page' })
          : follow({ operator_name: 'First page' }),
      ];
      return ok({ items, next_cursor: cursor ? null : 'next', current_operator_id: null });
    }),
  );
  const { user } = openApp('/ad-center/operated');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('Second page')).toBeVisible();
});
