import { act, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { App } from '@/app/app';
import { createQueryClient } from '@/app/query-client';
import { startSession } from '@/lib/session/store';

/** Opens the whole app at a path, by default with a session. */
export function openApp(path: string, { token = 'token-1' }: { token?: string | null } = {}) {
  if (token) startSession(token, 'register');
  // A fresh history entry, without the state that the last test left.
  window.history.pushState(null, '', `#${path}`);
  return { user: userEvent.setup(), ...render(<App queryClient={createQueryClient()} />) };
}

/** The current path inside the app, with its query. */
export function address(): string {
  return window.location.hash.slice(1);
}

/** Simulates a return to the window, which refetches. */
export function comeBack(): void {
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
}
