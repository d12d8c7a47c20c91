import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The fixture handlers, built into a module that Node can load. Their sources need Vite. */
export const FIXTURES = at('../../node_modules/.cache/fixtures/handlers.js');

export default async function buildFixtures(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@': at('../../src') } },
    build: { ssr: at('../../src/test/handlers.ts'), outDir: at('../../node_modules/.cache/fixtures') },
  });
}
