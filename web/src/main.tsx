import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { routeOf } from './app/routes';
import { startTranslations } from './i18n';
import './styles/base.css';

/** The page that the address asks for is fetched together with the language, not after it. */
function fetchFirstPage(): void {
  const path = location.hash.slice(1).split('?')[0] || '/login';
  routeOf(path)
    ?.load()
    // A failure shows itself where the page is used.
    .catch(() => undefined);
}

async function start(): Promise<void> {
  if (import.meta.env.DEV && import.meta.env.VITE_FIXTURE) {
    const { startFixture } = await import('./test/browser');
    await startFixture();
  }
  fetchFirstPage();
  await startTranslations();
  const root = document.getElementById('root');
  if (root) {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  }
}

void start();
