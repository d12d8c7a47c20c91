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
}

void start();
