import type { HtmlTagDescriptor, Plugin } from 'vite';
import { PRELOADED } from './entries.ts';

const OWN_STYLESHEET = /\s*<link rel="stylesheet" crossorigin href="\/(assets\/[^"]+)">/g;

/** Makes `index.html` preload what the first page needs, instead of leaving it to the first script to find out. */
export function firstPagePreload(): Plugin {
  return {
    name: 'adfolio-first-page-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []));
        const first = chunks.filter(({ moduleIds }) =>
          moduleIds.some((id) => PRELOADED.some((entry) => id.endsWith(entry))),
        );
        const scripts = new Set(first.flatMap(({ fileName, imports }) => [fileName, ...imports]));
        const styles = chunks
          .filter(({ fileName }) => scripts.has(fileName))
          .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        const own = [...html.matchAll(OWN_STYLESHEET)].map(([, file = '']) => file);
        const links = [...new Set([...own, ...styles])].map(stylesheet).join('');
        return {
          // Stylesheets block the scripts after them and the painting of what follows. At the end of the body they
          // leave the logo alone. Their order does not matter: `index.html` declares the layers.
          html: html.replace(OWN_STYLESHEET, '').replace('</body>', `${links}</body>`),
          tags: [...scripts].filter((file) => !html.includes(file)).map(preload),
        };
      },
    },
  };
}

const stylesheet = (file: string) => `<link rel="stylesheet" crossorigin href="/${file}">`;

const preload = (file: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
  injectTo: 'head',
});
