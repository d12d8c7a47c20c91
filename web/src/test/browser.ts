import { setupWorker } from 'msw/browser';
import { handlers } from './handlers';

/** Starts the fixtures in the browser, for `VITE_FIXTURE=1 npm run dev`. */
export async function startFixture(): Promise<void> {
  await setupWorker(...handlers).start({ onUnhandledRequest: 'bypass', quiet: true });
}
