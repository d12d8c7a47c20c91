import { setupWorker } from 'msw/browser';
import { handlers } from './handlers';

/** Developing without a server: `VITE_FIXTURE=1 npm run dev` answers every call from the fixtures of the tests. */
export async function startFixture(): Promise<void> {
  await setupWorker(...handlers).start({ onUnhandledRequest: 'bypass', quiet: true });
}
