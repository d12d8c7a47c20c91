// Checks proto/asyncapi.yaml: the document with AsyncAPI's parser, its examples against its schemas.
import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

// The parser's severities. Lower ones are hints, such as a newer AsyncAPI version.
const ERROR = 0;
const WARNING = 1;

const name = 'proto/asyncapi.yaml';
const source = new URL(`../../${name}`, import.meta.url);

let failed = false;
function report(text, isError = true) {
  console.error(`${isError ? 'error' : 'warning'}: ${name}${text}`);
  failed ||= isError;
}

const { document, diagnostics } = await new Parser().parse(await readFile(source, 'utf8'));
for (const { severity, message, path, range } of diagnostics) {
  if (severity <= WARNING) {
    report(`:${range.start.line + 1} ${path.join('.')}: ${message}`, severity === ERROR);
  }
}

// The parser checks examples of AsyncAPI 2 only. Its schemas may have keywords beyond JSON Schema.
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
// Not part of JSON Schema. The schema's pattern checks the same.
ajv.addFormat('int64', true);
for (const message of document?.components().messages().all() ?? []) {
  const examples = message.examples().all();
  if (examples.length === 0) {
    report(` ${message.id()}: has no example`);
  }
  const fits = ajv.compile(message.payload().json());
  for (const example of examples) {
    if (!fits(example.payload())) {
      report(` ${message.id()}: the example does not fit: ${ajv.errorsText(fits.errors)}`);
    }
  }
}
process.exitCode = failed || !document ? 1 : 0;
