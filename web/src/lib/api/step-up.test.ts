import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { server } from '@/test/server';
import { post } from './call';
import { STEP_UP_CANCELLED, STEP_UP_REQUIRED } from './error';
import { stepUpStore } from './step-up';

type Sent = { key: string | null; body: unknown };

const body = { email: 'new@example.com' };
const required = () => refusal(400, 'Confirm that it is you', { reason: STEP_UP_REQUIRED });

/** A server that wants the identity confirmed until `isFresh` says otherwise. */
function serveEdit(isFresh: () => boolean): Sent[] {
  const sent: Sent[] = [];
  server.use(
    http.post('*/api/user/info/edit', async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      return isFresh() ? ok({ id: 'user-1' }) : required();
    }),
  );
  return sent;
}

const edit = (key: string) => post('/user/info/edit', body, { idempotencyKey: key });

/** Lets the answers that are on their way arrive. */
const asked = () =>
  new Promise<NonNullable<ReturnType<typeof stepUpStore.get>>>((resolve) => {
    const take = () => {
      const request = stepUpStore.get();
      if (request) resolve(request);
    };
    stepUpStore.subscribe(take);
    take();
  });

test('a call waits for the confirmation and is then made again with the same body and key', async () => {
  let fresh = false;
  const sent = serveEdit(() => fresh);
  const call = edit('key-1');
  const request = await asked();
  expect(request.refusal.message).toBe('Confirm that it is you');
  fresh = true;
  request.settle(true);
  await expect(call).resolves.toEqual({ id: 'user-1' });
  expect(sent).toEqual([
    { key: 'key-1', body },
    { key: 'key-1', body },
  ]);
  expect(stepUpStore.get()).toBeNull();
});

test('a call that is given up is not made again', async () => {
  const sent = serveEdit(() => false);
  const call = edit('key-1');
  (await asked()).settle(false);
  const error = await call.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ reason: STEP_UP_CANCELLED, refused: true });
  expect(sent).toHaveLength(1);
});

test('two calls ask once', async () => {
  let fresh = false;
  const sent = serveEdit(() => fresh);
  const calls = [edit('key-1'), edit('key-2')];
  const request = await asked();
  await expect.poll(() => sent.length).toBe(2);
  fresh = true;
  request.settle(true);
  await Promise.all(calls);
  expect(sent.map(({ key }) => key).sort()).toEqual(['key-1', 'key-1', 'key-2', 'key-2']);
});

test('a server that is not content with the confirmation is not asked for ever', async () => {
  const sent = serveEdit(() => false);
  const call = edit('key-1');
  (await asked()).settle(true);
  await expect(call).rejects.toMatchObject({ reason: STEP_UP_REQUIRED });
  expect(sent).toHaveLength(2);
});

test('the confirmation itself waits for none', async () => {
  server.use(http.post('*/api/user/step_up', required));
  await expect(post('/user/step_up', { password: 'x' })).rejects.toMatchObject({ reason: STEP_UP_REQUIRED });
  expect(stepUpStore.get()).toBeNull();
});
