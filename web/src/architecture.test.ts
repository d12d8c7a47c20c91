import { expect, test } from 'vitest';

const sources = import.meta.glob<string>('./**/*.{ts,tsx}', {
  eager: true,
  query: '?raw',
  import: 'default',
});

const sheets = import.meta.glob<string>('./**/*.css', { eager: true, query: '?raw', import: 'default' });

/** A folder may import from those before it, never from those after it. */
const LAYERS = ['lib', 'i18n', 'ui', 'domain', 'features', 'app'];

type Import = { from: string; to: string };

function importsOf([path, source]: [string, string]): Import[] {
  const from = path.replace('./', '');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'((?:@|\.{1,2})\/[^']+)'/g)].map((match) => ({
    from,
    to: resolved(from, match[1] ?? ''),
  }));
}

/** The path below `src` that a specifier names. */
function resolved(from: string, specifier: string): string {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

const imports = Object.entries(sources).flatMap(importsOf);
const layer = (path: string) => LAYERS.indexOf(path.split('/')[0] ?? '');
const feature = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
const isTest = (path: string) => /^test\/|\.test\.tsx?$/.test(path);

test('imports run from app to features to domain to ui, i18n and lib, never back', () => {
  const wrong = imports.filter(({ from, to }) => layer(from) >= 0 && layer(to) > layer(from));
  expect(wrong).toEqual([]);
  expect(imports.some(({ from, to }) => layer(from) > layer(to) && layer(to) === 0)).toBe(true);
});

test('the console and the app share lib, i18n and ui, and nothing else', () => {
  const isConsole = (path: string) => path.startsWith('console/');
  const isShared = (path: string) => /^(lib|i18n|ui)\//.test(path);
  const wrong = imports.filter(
    ({ from, to }) =>
      (isConsole(from) && !isConsole(to) && !isShared(to) && !isTest(from)) ||
      (!isConsole(from) && isConsole(to) && !isTest(from)),
  );
  expect(wrong).toEqual([]);
  expect(imports.some(({ from, to }) => isConsole(from) && isShared(to))).toBe(true);
});

test('no area of the console imports another', () => {
  const area = (path: string) => /^console\/pages\/([^/]+)\//.exec(path)?.[1];
  const wrong = imports.filter(
    ({ from, to }) => area(to) && area(from) !== area(to) && from !== 'console/routes.ts',
  );
  expect(wrong).toEqual([]);
});

test('no feature imports another', () => {
  const wrong = imports.filter(
    ({ from, to }) => feature(from) && feature(to) && feature(to) !== feature(from),
  );
  expect(wrong).toEqual([]);
});

/*
 * The tests of a screen stand beside it but run it inside the whole app: guards, header, session and history are part
 * of what a screen does. They mount the app through `@/test/app` and obey the rules above for everything else, so
 * `test` is the only folder that may reach across layers, and nothing that ships may import it. `main.tsx` loads it in
 * development, when `VITE_FIXTURE` is set.
 */
test('only tests mount the app from below it', () => {
  const wrong = imports.filter(({ from, to }) => to.startsWith('test/') && !isTest(from));
  expect(wrong).toEqual([{ from: 'main.tsx', to: 'test/browser' }]);
});

test('query keys are written in the keys.ts of their feature, of the domain or of the console', () => {
  const wrong = Object.entries(sources)
    .filter(([path, source]) => !isTest(path.slice(2)) && /\b(queryKey|mutationKey): \[/.test(source))
    .map(([path]) => path);
  expect(wrong).toEqual([]);
});

test('no screen has a text of its own', () => {
  // Letters between tags, outside braces: visible text.
  const literal = />\s*[A-Za-z][A-Za-z ,.!?]+\s*<\//;
  const wrong = Object.entries(sources)
    .filter(([path, source]) => path.endsWith('.tsx') && !path.includes('.test.') && literal.test(source))
    .map(([path]) => path);
  expect(wrong).toEqual([]);
});

/** Looks that several components share; everything else stands beside the one component that it is for. */
const SHARED_SHEETS = ['@/ui/stack.module.css'];

test('a component imports its own stylesheet only', () => {
  const wrong = Object.entries(sources).flatMap(([path, source]) => {
    const own = `./${path.replace(/^.*\/|\.tsx?$/g, '')}.module.css`;
    return [...source.matchAll(/from '([^']+\.module\.css)'/g)]
      .map(([, sheet = '']) => sheet)
      .filter((sheet) => sheet !== own && !SHARED_SHEETS.includes(sheet))
      .map((sheet) => `${path}: ${sheet}`);
  });
  expect(wrong).toEqual([]);
});

test('every stylesheet belongs to a component', () => {
  const modules = Object.keys(sheets).filter((path) => path.endsWith('.module.css'));
  const orphans = modules.filter(
    (path) =>
      !SHARED_SHEETS.includes(path.replace('./', '@/')) && !(path.replace('.module.css', '.tsx') in sources),
  );
  expect(orphans).toEqual([]);
});

test('what takes a class name gives way to it, in whatever order their styles arrive', () => {
  const taking = Object.entries(sources).filter(([, source]) => /\bcx\([^;\n]*\bclassName\)/.test(source));
  expect(taking.map(([path]) => path)).toContain('./ui/button.tsx');
  const styles = taking.flatMap(([path, source]) =>
    [...source.matchAll(/from '(\.\/[^']+\.css)'/g)].map(([, sheet = '']) =>
      path.replace(/[^/]+$/, sheet.slice(2)),
    ),
  );
  expect(styles.filter((path) => !/^@layer parts \{\n(( .*)?\n)*\}\n$/.test(sheets[path] ?? ''))).toEqual([]);
});
