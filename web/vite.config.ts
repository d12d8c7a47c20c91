import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

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

/** What a visitor's pages and whatever opens above any page say. The rest of a language comes with the other pages. */
const FIRST_TEXTS = ['common', 'title', 'header', 'error', 'service', 'picker', 'not_found', 'auth'];

/** Serves a language pack in two parts, `<code>.json?part=first` and `?part=rest`. */
function packParts(): Plugin {
  return {
    name: 'adfolio-pack-parts',
    enforce: 'pre',
    load(id) {
      const match = /^(.*\/packs\/\w+\.json)\?part=(first|rest)$/.exec(id);
      const [, file, part] = match ?? [];
      if (!file) return null;
      this.addWatchFile(file);
      const sections = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
      const own = sections.filter(([name]) => FIRST_TEXTS.includes(name) === (part === 'first'));
      return { code: JSON.stringify(Object.fromEntries(own)), moduleType: 'json' };
    },
  };
}

const FRAMEWORK =
  /node_modules[\\/](react|react-dom|scheduler|react-router|cookie|i18next|react-i18next|html-parse-stringify|void-elements|use-sync-external-store|@tanstack)[\\/]/;

/** Most visits begin at the login in English: both are fetched with the app, not after it. */
const FIRST_PAGE = ['src/features/auth/pages/login.tsx', 'src/i18n/packs/en.json?part=first'];

function firstPagePreload(): Plugin {
  return {
    name: 'adfolio-first-page-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []));
        const first = chunks.filter(({ facadeModuleId }) =>
          FIRST_PAGE.some((page) => facadeModuleId?.endsWith(page)),
        );
        const scripts = new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]));
        const styles = new Set(
          chunks
            .filter(({ fileName }) => scripts.has(fileName))
            .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
        );
        const link = (file: string, attrs: Record<string, string>): HtmlTagDescriptor => ({
          tag: 'link',
          attrs: { ...attrs, crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        });
        return [
          ...[...scripts].map((file) => link(file, { rel: 'modulepreload' })),
          ...[...styles].map((file) => link(file, { rel: 'stylesheet' })),
        ].filter(({ attrs }) => !html.includes(String(attrs?.href)));
      },
    },
  };
}

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

export default defineConfig({
  plugins: [react(), packParts(), firstPagePreload(), fixtureWorker()],
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
    rolldownOptions: {
      output: {
        // What every page needs and seldom changes: one file that stays cached over releases of the app.
        codeSplitting: { groups: [{ name: 'vendor', test: FRAMEWORK }] },
      },
    },
    target: 'es2022',
  },
});
