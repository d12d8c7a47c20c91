import { act, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { formatsFor } from '@/i18n/format';
import { forgetLastSeen, lastSeenStore } from '@/lib/last-seen';
import { endSession } from '@/lib/session/store';
import { updateStore } from '@/lib/update';
import { openApp } from '@/test/app';
import { server } from '@/test/server';

afterEach(() => {
  vi.restoreAllMocks();
  forgetLastSeen();
  updateStore.set(false);
});

/** A visit that starts without a network, after one whose data came at a time. */
function openOffline(path: string, seenAt: number | null) {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.use(http.all('*/api/*', () => HttpResponse.error()));
  lastSeenStore.set({ at: seenAt, isFresh: false });
  return openApp(path);
}

test('an app that opens without a network says when the user last had data', async () => {
  const seenAt = Date.now();
  openOffline('/wallet', seenAt);
  const { time } = formatsFor('en');
  expect(await screen.findByText(`Offline, last seen ${time(seenAt)}`)).toBeVisible();
});

test('a look of another day has its date', async () => {
  const seenAt = Date.now() - 3 * 86_400_000;
  openOffline('/wallet', seenAt);
  const { moment } = formatsFor('en');
  const words = `Offline, last seen ${moment(new Date(seenAt).toISOString())}`;
  expect(await screen.findByText(words)).toBeVisible();
});

test('who never had data only learns of being offline', async () => {
  openOffline('/wallet', null);
  expect(await screen.findByText(/^You are offline\./)).toBeVisible();
});

test('an app that opened without a network loads its page when there is one', async () => {
  openOffline('/wallet', null);
  expect(await screen.findByRole('button', { name: 'Try again' }, { timeout: 10_000 })).toBeVisible();
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
  server.resetHandlers();
  act(() => void window.dispatchEvent(new Event('online')));
  expect(await screen.findByRole('link', { name: 'Available funds' })).toBeVisible();
});

test('a connection that is lost during a visit has its usual words, and the time is kept', async () => {
  openApp('/wallet');
  expect(await screen.findByRole('link', { name: 'Available funds' })).toBeVisible();
  await waitFor(() => expect(lastSeenStore.get().isFresh).toBe(true));
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(await screen.findByText(/^You are offline\./)).toBeVisible();
  expect(Date.now() - Number(localStorage.getItem('adfolio.last_seen'))).toBeLessThan(60_000);
});

test('the time is the user’s and ends with the session', async () => {
  openApp('/wallet');
  await waitFor(() => expect(localStorage.getItem('adfolio.last_seen')).not.toBeNull());
  act(() => endSession());
  expect(localStorage.getItem('adfolio.last_seen')).toBeNull();
});

test('a new release is offered and waits for the user', async () => {
  openApp('/ad-center/feedback');
  await screen.findByLabelText('Topic');
  act(() => updateStore.set(true));
  expect(await screen.findByText('A new version is available.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Update now' })).toBeEnabled();
});
