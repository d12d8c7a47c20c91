import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { loadFirstPage } from './app/page-loader';
import { createQueryClient } from './app/query-client';
import { visited } from './app/visit';
import { startTranslations } from './i18n';
import './styles/base.css';

async function start(): Promise<void> {
  if (import.meta.env.DEV && import.meta.env.VITE_FIXTURE) {
    const { startFixture } = await import('./test/browser');
    await startFixture();
  }
  const { route, search } = visited();
  const queryClient = createQueryClient();
  // The language first: the questions to the server tell it.
  const translating = startTranslations();
  await Promise.all([translating, loadFirstPage(route, queryClient, search)]);
  const root = document.getElementById('root');
  if (root) {
    const app = (
      <StrictMode>
        <App queryClient={queryClient} />
      </StrictMode>
    );
    // As a transition it is drawn in short steps, between which the browser answers to taps.
    startTransition(() => createRoot(root).render(app));
  }
}

void start();
