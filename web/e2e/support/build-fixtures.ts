import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where the handlers of the fixtures lie as a module that Node can load: they import what only Vite understands. */
export const FIXTURES = at('../../node_modules/.cache/fixtures/handlers.js');

export default async function buildFixtures(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@': at('../../src') } },
    build: { ssr: at('../../src/test/handlers.ts'), outDir: at('../../node_modules/.cache/fixtures') },
  });
}
