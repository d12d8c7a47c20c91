import { act, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StrictMode } from 'react';
import { App } from '@/app/app';
import { createQueryClient } from '@/app/query-client';
import { startSession } from '@/lib/session/store';
import { resizeWindow } from './window';

type Opening = {
  token?: string | null;
  /** Runs every effect twice, as in development. */
  strict?: boolean;
  /** In a wide window. */
  desk?: boolean;
};

/** Opens the whole app at a path, by default with a session. */
export function openApp(path: string, { token = 'token-1', strict = false, desk = false }: Opening = {}) {
  if (desk) resizeWindow(1440);
  if (token) startSession(token, 'register');
  // A fresh history entry, without the state that the last test left.
  window.history.pushState(null, '', `#${path}`);
  const app = <App queryClient={createQueryClient()} />;
  return { user: userEvent.setup(), ...render(strict ? <StrictMode>{app}</StrictMode> : app) };
}

/** The current path inside the app, with its query. */
export function address(): string {
  return window.location.hash.slice(1);
}

/** Simulates a return to the window, which refetches. */
export function comeBack(): void {
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
}
