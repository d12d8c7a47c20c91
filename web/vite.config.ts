import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkList } from './build/chunk-list.ts';
import { chunkGroups } from './build/chunks.ts';
import { firstPagePreload } from './build/first-page-preload.ts';
import { fixtureWorker } from './build/fixture-worker.ts';
import { inlineStyleIsAllowed } from './build/inline-style.ts';
import { withoutLoaded } from './build/loaded.ts';
import { lucideIcons } from './build/lucide-icons.ts';
import { packParts } from './build/pack-parts.ts';
import { serviceWorker } from './build/service-worker.ts';

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

export default defineConfig({
  plugins: [
    react(),
    packParts(),
    lucideIcons(),
    firstPagePreload(),
    inlineStyleIsAllowed(),
    chunkList('.vite/chunks.json'),
    serviceWorker(),
    fixtureWorker(),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': gateway } },
  build: {
    outDir: 'dist',
    // The content security policy allows no `data:` scripts or styles.
    assetsInlineLimit: 0,
    // The targets below load modules natively.
    modulePreload: { polyfill: false, resolveDependencies: withoutLoaded },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } },
    target: 'es2022',
  },
});
