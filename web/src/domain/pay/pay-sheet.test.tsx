import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { MemoryRouter } from 'react-router';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/lib/api/error';
import { ok, refusal } from '@/test/answers';
import { server } from '@/test/server';
import { md5Hex } from './md5';
import PaySheet from './pay-sheet-content';

const CHECK = '*/api/check/password';
const LABEL = 'Enter your 6-digit transaction password';

function open({ onPay = vi.fn(async (_password: string | null) => {}), asksPassword = true } = {}) {
  const onClose = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <PaySheet
          title="Review"
          confirmLabel="Pay"
          asksPassword={asksPassword}
          summary="150.00 to ****3000"
          onPay={onPay}
          onClose={onClose}
        >
          <p>The details</p>
        </PaySheet>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), onPay, onClose };
}

async function toPassword(options?: Parameters<typeof open>[0]) {
  const sheet = open(options);
  await sheet.user.click(screen.getByRole('button', { name: 'Pay' }));
  return {
    ...sheet,
    field: screen.getByLabelText(LABEL),
    okButton: screen.getByRole('button', { name: 'OK' }),
  };
}

test('the review comes first, the password with what it stands for after it, and the way back', async () => {
  const { user, field, onPay } = await toPassword();
  expect(field).toHaveFocus();
  expect(screen.queryByText('The details')).not.toBeInTheDocument();
  expect(screen.getByText('150.00 to ****3000')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Back to the review' }));
  expect(screen.getByText('The details')).toBeVisible();
  expect(onPay).not.toHaveBeenCalled();
});

test('a second tap of the one that led here lands beside the field and does not take its focus', async () => {
  const { user, field } = await toPassword();
  expect(field).toHaveFocus();
  await user.click(screen.getByRole('heading', { name: 'Transaction password' }));
  await waitFor(() => expect(field).toHaveFocus());
  await user.keyboard('583920');
  expect(field).toHaveValue('583920');
});

test('a control takes the focus', async () => {
  const { user, field } = await toPassword();
  await user.tab();
  await new Promise((resolve) => setTimeout(resolve));
  expect(field).not.toHaveFocus();
});

test('six digits: letters are dropped, more are not taken, and only six can be sent', async () => {
  const { user, field, okButton } = await toPassword();
  await user.type(field, '12a3-4b5');
  expect(field).toHaveValue('12345');
  expect(okButton).toBeDisabled();
  await user.type(field, '67');
  expect(field).toHaveValue('123456');
  expect(okButton).toBeEnabled();
});

test('a pasted password is taken as it is', async () => {
  const { user, field } = await toPassword();
  field.focus();
  await user.paste(' 583 920 ');
  expect(field).toHaveValue('583920');
});

test('the field is for no password manager and no one-time code', async () => {
  const { field } = await toPassword();
  expect(field).toHaveAttribute('autocomplete', 'off');
  expect(field).toHaveAttribute('inputmode', 'numeric');
});

test('the right one is checked, then the deed done with its MD5, once however often it is tapped', async () => {
  const checked: unknown[] = [];
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post(CHECK, async ({ request }) => {
      checked.push(await request.json());
      await asked;
      return ok({});
    }),
  );
  const { user, field, okButton, onPay, onClose } = await toPassword();
  await user.type(field, '583920');
  await user.dblClick(okButton);
  await waitFor(() => expect(field).toHaveAccessibleDescription('Checking…'));
  expect(okButton).toBeDisabled();
  // Closing now would hide the outcome.
  await user.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  answer();
  await waitFor(() => expect(field).toHaveAccessibleDescription('Correct'));
  expect(checked).toEqual([{ password: md5Hex('583920') }]);
  expect(onPay.mock.calls).toEqual([[md5Hex('583920')]]);
});

test('a wrong one is said at the boxes and kept until it is typed in again', async () => {
  server.use(
    http.post(CHECK, () => refusal(400, 'Wrong transaction password', { reason: 'WRONG_PAY_PASSWORD' }), {
      once: true,
    }),
  );
  const { user, field, okButton, onPay } = await toPassword();
  await user.type(field, '583921');
  await user.click(okButton);
  await waitFor(() => expect(field).toBeInvalid());
  expect(field).toHaveAccessibleDescription('Wrong transaction password');
  expect(field).toHaveValue('583921');
  expect(onPay).not.toHaveBeenCalled();
  await user.type(field, '{Backspace}');
  expect(field).toBeValid();
  expect(field).not.toHaveAccessibleDescription('Wrong transaction password');
  await user.type(field, '0{Enter}');
  await waitFor(() => expect(onPay).toHaveBeenCalledTimes(1));
});

test('any failure of the check counts as wrong, a lock with how long it lasts', async () => {
  server.use(
    http.post(CHECK, () =>
      refusal(429, 'Transaction password locked', { reason: 'PAY_PASSWORD_LOCKED', retry_after: 1800 }),
    ),
  );
  const { user, field, okButton } = await toPassword();
  await user.type(field, '583921');
  await user.click(okButton);
  await waitFor(() =>
    expect(field).toHaveAccessibleDescription('Transaction password locked. Try again in 30 minutes.'),
  );
});

test('a failure of the deed is another thing than a wrong password, and can be tried again', async () => {
  const onPay = vi
    .fn(async (_password: string | null) => {})
    .mockRejectedValueOnce(new ApiError(400, 'Insufficient balance', { reason: 'INSUFFICIENT_BALANCE' }));
  const { user, field, okButton } = await toPassword({ onPay });
  await user.type(field, '583920');
  await user.click(okButton);
  expect(await screen.findByRole('alert')).toHaveTextContent('Insufficient balance');
  expect(field).toBeValid();
  expect(field).toHaveValue('583920');
  await user.click(okButton);
  await waitFor(() => expect(onPay).toHaveBeenCalledTimes(2));
});

test('a deed that finds the password wrong after all says so at the boxes', async () => {
  const onPay = vi
    .fn(async (_password: string | null) => {})
    .mockRejectedValue(new ApiError(400, 'Wrong transaction password', { reason: 'WRONG_PAY_PASSWORD' }));
  const { user, field, okButton } = await toPassword({ onPay });
  await user.type(field, '583920');
  await user.click(okButton);
  await waitFor(() => expect(field).toBeInvalid());
});

test('where no password is asked for the review leads straight to the deed', async () => {
  const { user, onPay } = open({ asksPassword: false });
  await user.dblClick(screen.getByRole('button', { name: 'Pay' }));
  await waitFor(() => expect(onPay.mock.calls).toEqual([[null]]));
  expect(screen.queryByLabelText(LABEL)).not.toBeInTheDocument();
});

test('before the call the sheet can be left', async () => {
  const { user, onClose } = open();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalled();
});
