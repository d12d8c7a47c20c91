import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkList } from './build/chunk-list.ts';
import { inlineStyleIsAllowed } from './build/inline-style.ts';
import { lucideIcons } from './build/lucide-icons.ts';
import { packParts } from './build/pack-parts.ts';

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

/** Where the build lists its chunks, for the budgets in `.size-limit.mjs`. */
const CHUNKS = '.vite/console-chunks.json';

/**
 * The staff console. A build of its own, after the app's and into the same folder, so that neither can load, share or
 * preload a file of the other.
 */
export default defineConfig({
  plugins: [
    react(),
    packParts(),
    lucideIcons(),
    // The components' own texts, such as "Dismiss", in the languages of the console.
    { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' },
    inlineStyleIsAllowed(),
    chunkList(CHUNKS),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': gateway } },
  publicDir: false,
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    assetsDir: 'assets/console',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: 'console.html' },
    target: 'es2022',
  },
});
