import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Serves the worker of the fixture server while developing; nothing of it reaches the build. */
function fixtureWorker(): Plugin {
  const worker = new URL('./node_modules/msw/lib/mockServiceWorker.js', import.meta.url);
  return {
    name: 'adfolio-fixture-worker',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use('/mockServiceWorker.js', (_request, response) => {
        response.setHeader('Content-Type', 'text/javascript');
        response.end(readFileSync(worker));
      });
    },
  };
}

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

export default defineConfig({
  plugins: [react(), fixtureWorker()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': gateway } },
  build: {
    outDir: 'dist',
    // size-limit finds the entry and its static imports through the manifest, whatever the hashes are.
    manifest: true,
    // Every asset is a file of its own: the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
    // The targets below load modules natively; the polyfill would only cost bytes.
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
