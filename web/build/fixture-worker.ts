import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const WORKER = new URL('../node_modules/msw/lib/mockServiceWorker.js', import.meta.url);

/** Serves the service worker of the fixtures during development. Nothing of it reaches the build. */
export function fixtureWorker(): Plugin {
  return {
    name: 'adfolio-fixture-worker',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use('/mockServiceWorker.js', (_request, response) => {
        response.setHeader('Content-Type', 'text/javascript');
        response.end(readFileSync(WORKER));
      });
    },
  };
}
