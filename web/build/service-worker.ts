import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { FIRST_PAGE, FIRST_SCRIPT, MAIN_PAGES, USER_FRAME } from './entries.ts';

const SOURCE = fileURLToPath(new URL('../worker/sw.ts', import.meta.url));

/** Kept for a visit without a network. Other pages and the languages are kept when a visit has used them. */
const KEPT = [...FIRST_SCRIPT, ...FIRST_PAGE, ...USER_FRAME, ...MAIN_PAGES];

/** Builds the service worker, which knows the files of its release. Not in development: it would hide changes. */
export function serviceWorker(): Plugin {
  return {
    name: 'adfolio-service-worker',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const page = readFileSync(resolve(dir, 'index.html'));
      const code = await workerCode({
        __RELEASE__: JSON.stringify(createHash('sha256').update(page).digest('hex')),
        __FILES__: JSON.stringify(filesOf(bundle)),
      });
      writeFileSync(resolve(dir, 'sw.js'), code);
    },
  };
}

/** The files of the kept modules, with what they import statically and their stylesheets. */
function filesOf(bundle: Rolldown.OutputBundle): string[] {
  const files = new Set<string>();
  const visit = (file: string) => {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk' || files.has(`/${file}`)) return;
    files.add(`/${file}`);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(`/${style}`);
    chunk.imports.forEach(visit);
  };
  for (const output of Object.values(bundle)) {
    if (output.type === 'chunk' && KEPT.some((kept) => output.moduleIds.some((id) => id.endsWith(kept))))
      visit(output.fileName);
  }
  return [...files].sort();
}

async function workerCode(define: Record<string, string>): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define,
    build: {
      write: false,
      target: 'es2022',
      // A classic script: not every browser with service workers runs modules in them.
      lib: { entry: SOURCE, formats: ['iife'], name: 'adfolio', fileName: 'sw' },
    },
  });
  const [{ output }] = (Array.isArray(built) ? built : [built]) as [Rolldown.RolldownOutput];
  return output[0].code;
}
