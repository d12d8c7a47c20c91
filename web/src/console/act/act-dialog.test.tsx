import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import i18next from 'i18next';
import { HttpResponse, http } from 'msw';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { server } from '@/test/server';
import { endStaffSession, startStaffSession } from '../session/store';
import texts from '../texts/en';
import { ActDialog } from './act-dialog';
import { outcomes } from './announce';
import { AmountInput } from './inputs';
import { amount, amountOf } from './values';

const DEPOSIT = '*/api/admin/wallet/deposit';

beforeAll(() => {
  i18next.addResourceBundle('en', 'console', texts);
});

beforeEach(() => {
  startStaffSession('token-1', {
    id: 'staff-1',
    username: 'ada',
    role: 'admin',
    state: 'active',
    has_second_factor: false,
    has_totp: false,
    passkeys: 0,
    must_change_password: false,
    made_by: null,
    confirmed_by: null,
  });
});

afterEach(() => {
  // A dialog is only there while there is a session.
  cleanup();
  for (const { key } of outcomes.visibleToasts) outcomes.close(key);
  endStaffSession(null);
});

function open() {
  const onClose = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <ActDialog
          onClose={onClose}
          act={{
            path: '/admin/wallet/deposit',
            title: 'Credit a deposit',
            submit: 'Post',
            schema: z.object({ amount: amount() }),
            initial: { amount: '' },
            fields: <AmountInput name="amount" label="Amount" />,
            changes: (values) => [
              { what: 'Available funds', before: '10.00', after: amountOf(values.amount) },
            ],
            body: (values) => ({ user_id: 'u-1', amount: amountOf(values.amount), remark: 'Transfer' }),
            done: () => ({ text: 'Posted.' }),
            touches: [],
          }}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return onClose;
}

const answers = (...given: (() => Response)[]) => {
  const keys: string[] = [];
  server.use(
    http.post(DEPOSIT, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key') ?? '');
      return (given[keys.length - 1] ?? given.at(-1))?.() ?? HttpResponse.error();
    }),
  );
  return keys;
};
const ok = () => HttpResponse.json({ code: 200, msg: '', data: {} });
const refused = (reason: string, field: string | null) =>
  HttpResponse.json({ code: 400, msg: `Refused: ${reason}`, data: { reason, field } });

async function post(typed: string) {
  await userEvent.type(screen.getByLabelText('Amount'), typed);
  await userEvent.click(screen.getByRole('button', { name: 'Post' }));
}

test('shows what will change once it can say so, and sends nothing that is wrong', async () => {
  const keys = answers(ok);
  const onClose = open();
  expect(screen.getByRole('region', { name: 'This changes' })).toHaveTextContent('Fill in the form');
  await post('0');
  expect(screen.getByLabelText('Amount')).toHaveAccessibleDescription(/above 0/);
  expect(keys).toEqual([]);
  await userEvent.clear(screen.getByLabelText('Amount'));
  await userEvent.type(screen.getByLabelText('Amount'), '25');
  expect(screen.getByRole('region', { name: 'This changes' })).toHaveTextContent('10.00 → Then 25.00');
  expect(onClose).not.toHaveBeenCalled();
});

test('says what has happened, and closes', async () => {
  answers(ok);
  const onClose = open();
  await post('25');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(outcomes.visibleToasts.map(({ content }) => content.text)).toEqual(['Posted.']);
});

test('a refusal stands at its field, another one below the form, and what was typed stays', async () => {
  answers(
    () => refused('AMOUNT_OUT_OF_RANGE', 'amount'),
    () => refused('NOT_FOUND', 'user_id'),
  );
  open();
  await post('25');
  await waitFor(() =>
    expect(screen.getByLabelText('Amount')).toHaveAccessibleDescription('Refused: AMOUNT_OUT_OF_RANGE'),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Post' }));
  await waitFor(() => expect(screen.getByText('Refused: NOT_FOUND')).toBeInTheDocument());
  expect(screen.getByLabelText('Amount')).toHaveValue('25');
});

test('a lost answer is asked for again with the same key, a refused call with a new one', async () => {
  const keys = answers(
    () => HttpResponse.error(),
    () => refused('NOT_FOUND', 'user_id'),
    ok,
  );
  const onClose = open();
  await post('25');
  await waitFor(() => expect(screen.getByText(/not done twice/)).toBeInTheDocument());
  await userEvent.click(screen.getByRole('button', { name: 'Post' }));
  await waitFor(() => expect(screen.getByText('Refused: NOT_FOUND')).toBeInTheDocument());
  await userEvent.click(screen.getByRole('button', { name: 'Post' }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test('what a second person must approve is said to wait, with the way there', async () => {
  answers(() => refused('APPROVAL_REQUIRED', null));
  const onClose = open();
  await post('25');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  const [shown] = outcomes.visibleToasts;
  expect(shown?.content.text).toContain('Nothing has changed yet');
  expect(shown?.content.links).toEqual([{ label: 'See approvals', to: '/approvals' }]);
});
