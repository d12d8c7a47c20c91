import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { startSession } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { server } from '@/test/server';
import { get, post } from './call';
import { ApiError } from './error';

const PROPERTY = '*/api/user/property';

async function failure(answer: () => Response): Promise<ApiError> {
  server.use(http.get(PROPERTY, answer));
  const error: unknown = await get('/user/property').catch((caught: unknown) => caught);
  if (!(error instanceof ApiError)) throw new Error('not an ApiError');
  return error;
}

const edge = (status: number, code: number) =>
  HttpResponse.json(
    { code, msg: 'from the edge', data: { reason: 'UNAVAILABLE' } },
    { status, statusText: 'Bad' },
  );

test('a success is its data', async () => {
  server.use(http.get(PROPERTY, () => ok({ currency: 'USD' })));
  expect(await get('/user/property')).toEqual({ currency: 'USD' });
});

test('a refusal carries code, reason, field and wait, and certainly had no effect', async () => {
  const error = await failure(() =>
    refusal(429, 'Slow down', { reason: 'TOO_MANY_ATTEMPTS', field: 'x', retry_after: 7 }),
  );
  expect(error).toMatchObject({
    code: 429,
    reason: 'TOO_MANY_ATTEMPTS',
    field: 'x',
    retryAfterSeconds: 7,
    refused: true,
    message: 'Slow down',
  });
});

test('a missing path is no cancelled account', async () => {
  expect(await failure(() => edge(404, 404))).toMatchObject({ code: 500, refused: false });
});

test('a service that is down is an error of the server, whether or not it says so in an envelope', async () => {
  expect(await failure(() => edge(503, 503))).toMatchObject({
    code: 500,
    message: 'from the edge',
    refused: false,
  });
  const bare = () => new HttpResponse('<html></html>', { status: 502, statusText: 'Bad Gateway' });
  expect(await failure(bare)).toMatchObject({ code: 500, message: 'Bad Gateway', refused: false });
});

test('no answer at all is a failure of the network', async () => {
  expect(await failure(() => HttpResponse.error())).toMatchObject({
    code: 0,
    reason: 'NETWORK',
    refused: false,
  });
});

test('a call that its screen gave up is no failure', async () => {
  const controller = new AbortController();
  controller.abort();
  const error: unknown = await get('/user/property', undefined, { signal: controller.signal }).catch(
    (caught) => caught,
  );
  expect(error).not.toBeInstanceOf(ApiError);
});

test('empty parameters are left out and another token takes the place of the stored one', async () => {
  startSession('stored', 'register');
  let seen = '';
  server.use(
    http.get('*/api/transaction_flow/list', ({ request }) => {
      seen = new URL(request.url).search;
      return ok({ items: [], next_cursor: null });
    }),
    http.post('*/api/opening_store', ({ request }) => {
      seen += ` ${request.headers.get('X-CT')} ${request.headers.get('Idempotency-Key')}`;
      return ok({});
    }),
  );
  await get('/transaction_flow/list', { month: '2026-11', cursor: '' });
  await post('/opening_store', { code: 'x' }, { token: 'host', idempotencyKey: 'k' });
  expect(seen).toBe('?month=2026-11 host k');
});
