import ts from 'typescript';
import { expect, test } from 'vitest';

const sources = import.meta.glob(['./**/*.{ts,tsx}', '!./**/*.test.{ts,tsx}', '!./test/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Record<string, string>;

/** The value of an attribute that is written down as a plain text. */
function text(element: ts.JsxAttributes, name: string): string | undefined {
  const attribute = element.properties.find((it) => ts.isJsxAttribute(it) && it.name.getText() === name);
  const value = attribute && ts.isJsxAttribute(attribute) ? attribute.initializer : undefined;
  return value && ts.isStringLiteral(value) ? value.text : undefined;
}

type Found = { safe: string[]; unsafe: string[] };

const NAMES_A_PLACE = ['target', 'formTarget'];

/** Whether an attribute that names a target keeps the app hidden from the new tab. */
function isSafe(attribute: ts.JsxAttribute): boolean {
  // A computed target could be anything.
  const target = text(attribute.parent, attribute.name.getText());
  const rel = (text(attribute.parent, 'rel') ?? '').split(' ');
  // A spread could override it.
  const spread = attribute.parent.properties.some(ts.isJsxSpreadAttribute);
  return target === '_self' || (target === '_blank' && rel.includes('noopener') && !spread);
}

/** Other ways to open a tab: a property, an attribute that is set, a string argument, a call. */
function opensOtherwise(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node)) return /^_blank$/i.test(node.text);
  if (ts.isPropertyAssignment(node)) return NAMES_A_PLACE.includes(node.name.getText());
  if (ts.isPropertyAccessExpression(node)) {
    return node.name.text === 'open' && ['window', 'globalThis', 'self'].includes(node.expression.getText());
  }
  return ts.isCallExpression(node) && node.expression.getText() === 'open';
}

/** Everything in a file that opens another tab. */
function newTabs(file: string, source: string): Found {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Found = { safe: [], unsafe: [] };
  const visit = (node: ts.Node): void => {
    const place = () => `${file}: ${node.getText().slice(0, 60)}`;
    if (ts.isJsxAttribute(node) && NAMES_A_PLACE.includes(node.name.getText())) {
      (isSafe(node) ? found.safe : found.unsafe).push(place());
      return;
    }
    if (opensOtherwise(node)) found.unsafe.push(place());
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test('no tab that is opened knows the app', () => {
  const found = Object.entries(sources).map(([file, source]) => newTabs(file, source));
  expect(found.flatMap((it) => it.unsafe)).toEqual([]);
  // Customer-service contacts have two such links. Without any, the search is broken.
  expect(found.flatMap((it) => it.safe).length).toBeGreaterThanOrEqual(2);
});

test.each([
  '<a href="/" target="_blank">x</a>',
  '<a href="/" target="_blank" rel="noreferrer">x</a>',
  '<a href="/" target="_blank" rel="noopener" {...more}>x</a>',
  '<a href="/" target={where} rel="noopener">x</a>',
  '<form target="elsewhere" />',
  '<button formTarget="_blank">x</button>',
  'window.open("/")',
  'globalThis.open("/", "other")',
  'open("/")',
  'link.setAttribute("target", "_blank")',
  'link.target = "_BLANK"',
  'createElement("a", { target: somewhere })',
])('%s is found', (source) => {
  expect(newTabs('a.tsx', source).unsafe).not.toEqual([]);
});

test('a link that keeps the app to itself is let through', () => {
  const source = '<a href="/" target="_blank" rel="noopener noreferrer">x</a>';
  expect(newTabs('a.tsx', source)).toEqual({ safe: [expect.anything()], unsafe: [] });
});
