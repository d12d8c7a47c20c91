import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const NGINX = new URL('../../deploy/nginx/nginx.conf.template', import.meta.url);

/**
 * The content security policies allow the one inline style of each document by its hash. Fails the build when nginx
 * would refuse the style.
 */
export function inlineStyleIsAllowed(): Plugin {
  return {
    name: 'adfolio-inline-style-is-allowed',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
        const source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
        if (!readFileSync(NGINX, 'utf8').includes(source)) {
          throw new Error(`${fileURLToPath(NGINX)}: style-src must have ${source}`);
        }
      },
    },
  };
}
