import { expect, test } from 'vitest';
import en from '@/i18n/packs/en.json';
import { type Part, partOf } from '@/i18n/parts';
import { routes } from './routes';
import { textsOf } from './rules';

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** The modules below `src` by their path there, without extension. */
const modules = new Map(
  Object.entries(sources)
    .filter(([path]) => !/\.test\.tsx?$|\/test\//.test(path))
    .map(([path, source]) => [path.replace('../', '').replace(/^\.\//, 'app/'), source])
    .map(
      ([path = '', source = '']) => [path.replace(/(\/index)?\.tsx?$/, ''), withoutComments(source)] as const,
    )
    .filter(([name]) => name !== 'i18n/parts'),
);

const routeTable = modules.get('app/routes') ?? '';

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** What a page's module imports, itself included, whether at once or later. The route table leads to other pages. */
function reachedFrom(roots: readonly string[], without: readonly string[] = []): Set<string> {
  const reached = new Set<string>();
  const visit = (name: string) => {
    const source = modules.get(name);
    if (source === undefined || reached.has(name) || name === 'app/routes' || without.includes(name)) return;
    reached.add(name);
    for (const [, specifier = ''] of source.matchAll(/(?:from|import)\s*\(?\s*'((?:@|\.{1,2})\/[^']+)'/g)) {
      visit(
        specifier.startsWith('@/')
          ? specifier.slice(2)
          : new URL(specifier, `file:///${name}`).pathname.slice(1),
      );
    }
  };
  for (const root of roots) visit(root);
  return reached;
}

/** The keys that a module names. A key with a dynamic part stands for its beginning. */
function keysIn(name: string): string[] {
  const literals = (modules.get(name) ?? '').matchAll(/['"`]([a-z_]+\.[\w.]*)/g);
  return [...literals].map(([, key = '']) => key).filter((key) => Object.hasOwn(en, key.split('.')[0] ?? ''));
}

function moduleOf(path: string): string {
  const [, name = ''] =
    new RegExp(`path: '${path}',[\\s\\S]*?import\\('(?:@/|\\./)([^']+)'\\)`).exec(routeTable) ?? [];
  return name.startsWith('features/') ? name : `app/${name}`;
}

/** Opened only for users, after a page that has its texts. */
const FOR_USERS = ['domain/step-up/step-up-sheet'];

/** The folders whose modules `load` together with their texts. */
const DESK = /^ui\/table\/|\/desk\//;
const PLACING = /^features\/plan\/placing\//;

test('what only a desk shows is loaded with its texts', () => {
  const statically = [...modules].flatMap(([name, source]) =>
    DESK.test(name)
      ? []
      : [...source.matchAll(/from '([^']*(?:ui\/table|\/desk)\/[^']*)'|import\('([^']*\/desk\/[^']*)'\)/g)]
          .filter(
            ([found, from]) => from !== undefined || !source.includes(`${found}.then(({ load }) => load())`),
          )
          .map(([found]) => `${name}: ${found}`),
  );
  expect(statically).toEqual([]);
});

test('pace and placements are loaded with their texts', () => {
  const wrong = [...modules].flatMap(([name, source]) =>
    PLACING.test(name)
      ? []
      : [...source.matchAll(/'[^']*\/placing\/[^']*'\)?/g)]
          .filter(([found]) => !source.includes(`import(${found}.then(({ load }) => load())`))
          .map(([found]) => `${name}: ${found}`),
  );
  expect(wrong).toEqual([]);
});

test.each(routes.map((route) => [route.path, route] as const))('%s has its texts', (path, route) => {
  const page = moduleOf(path);
  expect(modules.has(page), page).toBe(true);
  const parts: readonly Part[] = ['first', ...textsOf(route)];
  // These load their texts together with their modules.
  const isLoaded = (key: string, name: string) =>
    parts.includes(partOf(key)) ||
    (partOf(key) === 'desk' && DESK.test(name)) ||
    (partOf(key) === 'placing' && PLACING.test(name));
  const missing = [...reachedFrom(['app/app', page], route.login ? [] : FOR_USERS)].flatMap((name) =>
    keysIn(name)
      .filter((key) => !isLoaded(key, name))
      .map((key) => `${key} in ${name}`),
  );
  expect(missing).toEqual([]);
});

test('a text is in the part of its section unless it is named itself', () => {
  expect(partOf('auth.login')).toBe('first');
  expect(partOf('wallet.title')).toBe('main');
  expect(partOf('security.email.confirmed')).toBe('main');
  expect(partOf('security.email.send')).toBe('rest');
  expect(partOf('authority')).toBe('rest');
});
