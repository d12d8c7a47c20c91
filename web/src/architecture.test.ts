import { expect, test } from 'vitest';

/** Imports run from app to features to what is shared, never back, and no feature imports another. */
const sources = import.meta.glob<string>('./**/*.{ts,tsx}', {
  eager: true,
  query: '?raw',
  import: 'default',
});

const sheets = import.meta.glob<string>('./**/*.css', { eager: true, query: '?raw', import: 'default' });

const SHARED = ['ui', 'lib', 'i18n', 'styles'];

type Import = { from: string; to: string };

function importsOf([path, source]: [string, string]): Import[] {
  const from = path.replace('./', '');
  if (/\.test\.tsx?$|^test\/|\.d\.ts$/.test(from)) return [];
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'(@\/[^']+)'/g)].map((match) => ({
    from,
    to: (match[1] ?? '').replace('@/', ''),
  }));
}

const imports = Object.entries(sources).flatMap(importsOf);
const feature = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];

test('what is shared knows neither features nor the app', () => {
  const wrong = imports.filter(
    ({ from, to }) => SHARED.includes(from.split('/')[0] ?? '') && /^(features|app)\//.test(to),
  );
  expect(wrong).toEqual([]);
});

test('no feature imports another one or the app', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      feature(from) && (to.startsWith('app/') || (feature(to) && feature(to) !== feature(from))),
  );
  expect(wrong).toEqual([]);
});

test('no screen has a text of its own', () => {
  // Letters between tags, outside braces: what a person would read.
  const literal = />\s*[A-Za-z][A-Za-z ,.!?]+\s*<\//;
  const wrong = Object.entries(sources)
    .filter(([path, source]) => path.endsWith('.tsx') && !path.includes('.test.') && literal.test(source))
    .map(([path]) => path);
  expect(wrong).toEqual([]);
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
