import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { edgeHeaders } from './edge-headers';
import { answerOf } from './fixture-data';

const DIST = resolve(process.env.ADFOLIO_WEB_DIST ?? 'dist');

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

/** As in deploy/nginx. */
const GZIP_LEVEL = 6;
const GZIP_BYTES_MIN = 1024;

/**
 * Serves the built app on a free local port as the edge does: with its headers and compression, and with an API, which
 * the fixtures answer. Can deploy a second release, which differs in the name of the first script.
 */
export class EdgeServer {
  origin = '';
  private isSecond = false;
  private readonly script =
    readdirSync(resolve(DIST, 'assets')).find((name) => name.startsWith('boot-')) ?? '';

  static async start(): Promise<EdgeServer> {
    const edge = new EdgeServer();
    const server = createServer((request, response) => void edge.answer(request, response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    server.unref();
    edge.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return edge;
  }

  deploySecondRelease(): void {
    this.isSecond = true;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.origin);
    if (pathname.startsWith('/api/')) return this.answerCall(request, response);
    const name = pathname === '/' ? '/index.html' : pathname;
    try {
      const file = this.fileOf(name);
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
      response.setHeader('Content-Type', type);
      for (const [header, value] of Object.entries(edgeHeaders(pathname))) response.setHeader(header, value);
      const isCompressed = file.length > GZIP_BYTES_MIN && type !== TYPES.png;
      if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
      response.end(isCompressed ? gzipSync(file, { level: GZIP_LEVEL }) : file);
    } catch {
      response.writeHead(404).end();
    }
  }

  private async answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'GET' ? null : await text(request);
    const call = new Request(`${this.origin}${request.url}`, { method: request.method ?? 'GET', body });
    const answer = await answerOf(call, { data: 'usual', lang: 'en', patch: undefined });
    response.writeHead(answer?.status ?? 404, { 'Content-Type': answer?.contentType ?? 'text/plain' });
    response.end(answer?.body);
  }

  private fileOf(name: string): Buffer {
    if (!this.isSecond) return readFileSync(resolve(DIST, `.${name}`));
    const second = this.script.replace('boot-', 'boot-second-');
    const file = readFileSync(resolve(DIST, `.${name.replace(second, this.script)}`));
    if (!/\.(html|js)$/.test(name)) return file;
    const renamed = file.toString().replaceAll(this.script, second);
    return Buffer.from(name === '/sw.js' ? this.withSecondPage(renamed) : renamed);
  }

  /** The worker knows its page by its digest. */
  private withSecondPage(worker: string): string {
    const digest = (page: Buffer) => createHash('sha256').update(page).digest('hex');
    const first = digest(readFileSync(resolve(DIST, 'index.html')));
    return worker.replaceAll(first, digest(this.fileOf('/index.html')));
  }
}
