import { act, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { App } from '@/app/app';
import { createQueryClient } from '@/app/query-client';
import { startSession } from '@/lib/session/store';

/** The whole app at an address, as a logged-in user unless said otherwise. */
export function openApp(path: string, { token = 'token-1' }: { token?: string | null } = {}) {
  if (token) startSession(token, 'register');
  // A new entry of the history as a browser makes it: without what the last test left in its own.
  window.history.pushState(null, '', `#${path}`);
  return { user: userEvent.setup(), ...render(<App queryClient={createQueryClient()} />) };
}

/** The address inside the app, with its query. */
export function address(): string {
  return window.location.hash.slice(1);
}

/** The user comes back to the window: what is shown is asked for again. */
export function comeBack(): void {
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
}
