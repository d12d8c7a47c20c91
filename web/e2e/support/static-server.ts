import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';

/** The folder of the built app. */
const DIST = resolve(process.env.ADFOLIO_WEB_DIST ?? 'dist');

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Serves the built app on a free local port for the lifetime of the process. Returns its origin. */
export async function serveApp(): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://app');
    const name = pathname === '/' ? '/index.html' : pathname;
    try {
      const file = readFileSync(resolve(DIST, `.${name}`));
      response.setHeader('Content-Type', TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain');
      // Like the edge: files with a hash in their name are immutable.
      const kept = name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.setHeader('Cache-Control', kept);
      response.end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
