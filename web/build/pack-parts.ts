import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { type Part, partOf } from '../src/i18n/parts.ts';

type Texts = { [name: string]: string | Texts };

/** Splits a language pack into a module for each part, such as `<code>.json?part=first`. */
export function packParts(): Plugin {
  return {
    name: 'adfolio-pack-parts',
    enforce: 'pre',
    load: {
      filter: { id: /\/packs\/\w+\.json\?part=/ },
      handler(id) {
        const [file = '', part] = id.split('?part=');
        this.addWatchFile(file);
        const texts = JSON.parse(readFileSync(file, 'utf8')) as Texts;
        return { code: JSON.stringify(textsOfPart(texts, part as Part)), moduleType: 'json' };
      },
    },
  };
}

function textsOfPart(texts: Texts, part: Part, prefix = ''): Texts {
  const own = Object.entries(texts).flatMap(([name, value]): [string, string | Texts][] => {
    const key = `${prefix}${name}`;
    if (typeof value === 'string') return partOf(key) === part ? [[name, value]] : [];
    const inner = textsOfPart(value, part, `${key}.`);
    return Object.keys(inner).length > 0 ? [[name, inner]] : [];
  });
  return Object.fromEntries(own);
}
