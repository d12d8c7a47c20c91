import { createHash } from 'node:crypto';
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

/** Fetched with the first script, not after it: the app, and the language in which most visits begin. */
const PRELOADED = ['src/main.tsx', 'src/i18n/packs/en.json?part=first'];

/** Most visits begin at the login: what it needs belongs to the app's own file. */
const FIRST_PAGE = [...PRELOADED, 'src/features/auth/pages/login.tsx'];

/** Between them the tab bar switches, and most visits of a user begin at the first. */
const MAIN_PAGES = [
  'src/features/ad-center/pages/ad-center.tsx',
  'src/features/plan/pages/plans.tsx',
  'src/features/wallet/pages/wallet.tsx',
];

const FIRST_SCRIPT = ['src/boot.ts'];

const OWN_STYLESHEET = /\s*<link rel="stylesheet" crossorigin href="\/(assets\/[^"]+)">/g;

type ModuleInfoOf = (id: string) => { importers: readonly string[] } | null;

/** Whether one of the entries needs a module at once, which is none of them itself. */
function isNeededBy(entries: readonly string[], id: string, infoOf: ModuleInfoOf): boolean {
  const isEntry = (module: string) => entries.some((entry) => module.endsWith(entry));
  if (isEntry(id)) return false;
  const seen = new Set<string>();
  const isNeeded = (module: string): boolean => {
    if (isEntry(module)) return true;
    if (seen.has(module)) return false;
    seen.add(module);
    return infoOf(module)?.importers.some(isNeeded) ?? false;
  };
  return isNeeded(id);
}

function firstPagePreload(): Plugin {
  return {
    name: 'adfolio-first-page-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []));
        const first = chunks.filter(({ facadeModuleId }) =>
          PRELOADED.some((entry) => facadeModuleId?.endsWith(entry)),
        );
        const scripts = new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]));
        const styles = new Set(
          chunks
            .filter(({ fileName }) => scripts.has(fileName))
            .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]),
        );
        const preload = (file: string): HtmlTagDescriptor => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
          injectTo: 'head',
        });
        const stylesheet = (file: string) => `<link rel="stylesheet" crossorigin href="/${file}">`;
        const own = [...html.matchAll(OWN_STYLESHEET)].map(([, file = '']) => file);
        const body = [...new Set([...own, ...styles])].map(stylesheet).join('');
        return {
          // At the end of the body the app's styles hold up its scripts, but not the mark that is drawn before. That those of
          // later pages come before them in the document changes nothing: what gives way to what is said in index.html.
          html: html.replace(OWN_STYLESHEET, '').replace('</body>', `${body}</body>`),
          tags: [...scripts].filter((file) => !html.includes(file)).map(preload),
        };
      },
    },
  };
}

const NGINX = new URL('../deploy/nginx/nginx.conf.template', import.meta.url);

/** The one style that stands in the page itself is let through by its hash: a page whose style nginx would refuse is not built. */
function styleIsAllowed(): Plugin {
  return {
    name: 'adfolio-style-is-allowed',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
        const source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
        if (!readFileSync(NGINX, 'utf8').includes(source)) {
          throw new Error(`${fileURLToPath(NGINX)}: style-src must have ${source}`);
        }
      },
    },
  };
}

const gateway = process.env.ADFOLIO_GATEWAY ?? 'http://127.0.0.1:8200';

export default defineConfig({
  plugins: [react(), packParts(), firstPagePreload(), styleIsAllowed(), fixtureWorker()],
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
        codeSplitting: {
          groups: [
            // What every page needs and seldom changes: one file that stays cached over releases of the app.
            { name: 'vendor', test: FRAMEWORK },
            {
              name: (id, graph) =>
                isNeededBy(FIRST_SCRIPT, id, (module) => graph.getModuleInfo(module)) ? 'boot' : null,
            },
            // Few files rather than one for each module that two pages share: every file costs a round trip.
            {
              name: (id, graph) =>
                isNeededBy(FIRST_PAGE, id, (module) => graph.getModuleInfo(module)) ? 'first' : null,
            },
            {
              name: (id, graph) =>
                isNeededBy(MAIN_PAGES, id, (module) => graph.getModuleInfo(module)) ? 'pages' : null,
              minShareCount: 2,
            },
            { name: 'pages', test: /[\\/](src[\\/](domain|ui|lib|i18n)|lucide-react)[\\/]/, minShareCount: 4 },
          ],
        },
      },
    },
    target: 'es2022',
  },
});
