import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { LOGIN_PATH, routeOf } from './app/routes';
import { startTranslations } from './i18n';
import { sessionStore } from './lib/session/store';
import './styles/base.css';

const path = location.hash.slice(1).split('?')[0] || LOGIN_PATH;

/** The page that the address asks for is fetched together with the language, not after it. */
function fetchFirstPage(): void {
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
  await startTranslations(routeOf(path)?.login === true && sessionStore.get().token !== null);
  const root = document.getElementById('root');
  if (root) {
    const app = (
      <StrictMode>
        <App />
      </StrictMode>
    );
    // As a transition it is drawn in short steps, between which the browser answers to taps.
    startTransition(() => createRoot(root).render(app));
  }
}

void start();
