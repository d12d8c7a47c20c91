// Computes from the build's manifest what a page costs in JavaScript: its chunk and its static imports.
import { existsSync, readFileSync } from 'node:fs';

const MANIFEST = new URL('./dist/.vite/manifest.json', import.meta.url);
if (!existsSync(MANIFEST)) throw new Error('nothing built: run `npm run build` first');
const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8'));

/** The scripts that the browser fetches for the given sources. */
function scriptsOf(...sources) {
  const found = new Set();
  const visit = (source) => {
    const chunk = manifest[source];
    if (!chunk) throw new Error(`not in the manifest: ${source}`);
    if (found.has(chunk.file)) return;
    found.add(chunk.file);
    (chunk.imports ?? []).forEach(visit);
  };
  sources.forEach(visit);
  return [...found].filter((file) => file.endsWith('.js'));
}

const FIRST_TEXTS = 'src/i18n/packs/en.json?part=first';
const first = scriptsOf('index.html', 'src/main.tsx', 'src/features/auth/pages/login.tsx', FIRST_TEXTS);
const pages = Object.keys(manifest).filter((source) => /^src\/(features|app)\/.*pages\//.test(source));
const packs = Object.keys(manifest)
  .filter((source) => source.endsWith('.json?part=first'))
  .map((source) => source.replace('?part=first', ''));
const inDist = (files) => files.map((file) => `dist/${file}`);
const budget = (name, files, limit) => ({ name, path: inDist(files), limit, gzip: true, brotli: false });

export default [
  budget('first load of the login', first, '140 kB'),
  ...pages
    .map((source) => [source, scriptsOf(source).filter((file) => !first.includes(file))])
    .filter(([, files]) => files.length > 0)
    .map(([source, files]) => budget(`further: ${source.replace(/^src\//, '')}`, files, '15 kB')),
  budget(
    'chart',
    scriptsOf('src/ui/chart/chart.tsx').filter((file) => !first.includes(file)),
    '30 kB',
  ),
  ...packs.map((source) =>
    // Every text of the product; Cyrillic and Thai take two and three bytes a letter.
    budget(`language: ${source}`, scriptsOf(`${source}?part=first`, `${source}?part=rest`), '16 kB'),
  ),
];
