import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { loadFirstPage } from './app/page-loader';
import { createQueryClient } from './app/query-client';
import { visited } from './app/visit';
import { blockZoom } from './app/zoom';
import { startTranslations } from './i18n';
import './styles/base.css';

/** By then the first page is drawn and the main pages are fetched ahead. */
const WORKER_MS = 6_000;

/** Draws the app. */
export async function start(): Promise<void> {
  if (import.meta.env.DEV && import.meta.env.VITE_FIXTURE) {
    const { startFixture } = await import('./test/browser');
    await startFixture();
  }
  blockZoom();
  const { route, search } = visited();
  const queryClient = createQueryClient();
  // The language first, because requests send it.
  const translating = startTranslations();
  await Promise.all([translating, loadFirstPage(route, queryClient, search)]);
  const root = document.getElementById('root');
  if (root) {
    const app = (
      <StrictMode>
        <App queryClient={queryClient} />
      </StrictMode>
    );
    // A transition renders in slices, between which the browser stays responsive.
    startTransition(() => createRoot(root).render(app));
  }
  if (import.meta.env.PROD) setTimeout(keepForOffline, WORKER_MS);
}

function keepForOffline(): void {
  // If this fails, the next visit tries again.
  import('./lib/worker').then(({ startWorker }) => startWorker()).catch(() => undefined);
}
