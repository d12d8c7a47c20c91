// Generates the client's types from the gateway's OpenAPI document. --check only reports whether they are stale.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../gateway/openapi.json', import.meta.url);
const target = new URL('../src/lib/api/schema.d.ts', import.meta.url);

const HEADER = '// Generated from gateway/openapi.json by `npm run generate`. Do not edit.\n\n';

const wanted = HEADER + astToString(await openapiTS(document));
if (process.argv.includes('--check')) {
  const present = await readFile(target, 'utf8').catch(() => '');
  if (present !== wanted) {
    console.error('src/lib/api/schema.d.ts is stale: run `npm run generate`');
    process.exit(1);
  }
} else {
  await writeFile(target, wanted);
}
