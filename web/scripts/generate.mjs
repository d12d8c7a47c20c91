// Generates from the gateway's OpenAPI document the client's types and the table of who may make which call of staff.
// --check only reports what is stale.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const source = new URL('../../gateway/openapi.json', import.meta.url);
const document = JSON.parse(await readFile(source, 'utf8'));

const HEADER = '// Generated from gateway/openapi.json by `npm run generate`. Do not edit.\n\n';

/** The roles of each call of staff, from its `x-access`, such as `staff: admin, finance`. */
function staffAccess() {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { 'x-access': access }]) => {
      const [, roles] = /^staff: (.+)$/.exec(access ?? '') ?? [];
      const list = roles?.split(', ').map((role) => `'${role}'`);
      return list ? [`  '${method.toUpperCase()} ${path}': [${list.join(', ')}],`] : [];
    }),
  );
  return [
    '/** The roles that may make each call of staff. The server refuses all others. */',
    'export const ACCESS = {',
    ...calls,
    '} as const;',
    '',
  ].join('\n');
}

const generated = [
  ['src/lib/api/schema.d.ts', astToString(await openapiTS(document))],
  ['src/console/api/access.ts', staffAccess()],
];

for (const [path, text] of generated) {
  const target = new URL(`../${path}`, import.meta.url);
  const wanted = HEADER + text;
  if (!process.argv.includes('--check')) {
    await writeFile(target, wanted);
  } else if ((await readFile(target, 'utf8').catch(() => '')) !== wanted) {
    console.error(`${path} is stale: run \`npm run generate\``);
    process.exitCode = 1;
  }
}
