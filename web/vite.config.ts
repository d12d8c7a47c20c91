import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './build/chunks.ts';
import { firstPagePreload } from './build/first-page-preload.ts';
import { fixtureWorker } from './build/fixture-worker.ts';
import { inlineStyleIsAllowed } from './build/inline-style.ts';
import { packParts } from './build/pack-parts.ts';

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

export default defineConfig({
  plugins: [react(), packParts(), firstPagePreload(), inlineStyleIsAllowed(), fixtureWorker()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': gateway } },
  build: {
    outDir: 'dist',
    // size-limit finds an entry and its static imports through the manifest.
    manifest: true,
    // The content security policy allows no `data:` scripts or styles.
    assetsInlineLimit: 0,
    // The targets below load modules natively.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
    target: 'es2022',
  },
});
