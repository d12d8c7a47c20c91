import { readFileSync } from 'node:fs';

const TEMPLATE = readFileSync(new URL('../../../deploy/nginx/nginx.conf.template', import.meta.url), 'utf8');

/** The headers that the edge's configuration sets on a file. They do not depend on the request. */
export function edgeHeaders(path: string): Record<string, string> {
  const constant = [...TEMPLATE.matchAll(/^ *add_header ([\w-]+) (?:"([^"]+)"|([^$\s]+)) always;$/gm)];
  return {
    ...Object.fromEntries(constant.map(([, name, quoted, bare]) => [name, quoted ?? bare])),
    'Content-Security-Policy': mapped('file_policy', path).replace(/\$\{\w+\}/, "'none'"),
    'Cache-Control': mapped('file_cache_control', path),
    // As long as a real one.
    'X-Request-Id': '0'.repeat(32),
  };
}

/** What a map of nginx gives for a path: the first pattern that matches, else the default. */
function mapped(variable: string, path: string): string {
  const [, body = ''] =
    new RegExp(`map \\$uri \\$${variable} \\{([\\s\\S]*?)\\n    \\}`).exec(TEMPLATE) ?? [];
  const entries = [...body.matchAll(/^ *(default|"~([^"]+)") "([^"]*)";$/gm)];
  const found =
    entries.find(([, , pattern]) => pattern !== undefined && new RegExp(pattern).test(path)) ??
    entries.find(([, name]) => name === 'default');
  if (!found) throw new Error(`nginx has no ${variable} for ${path}`);
  return found[3] ?? '';
}
