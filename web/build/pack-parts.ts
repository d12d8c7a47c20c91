import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** The sections that a visitor's pages and the dialogs of every page need. The other pages load the rest. */
const FIRST_TEXTS = ['common', 'title', 'header', 'error', 'service', 'picker', 'not_found', 'auth'];

/** Splits a language pack into two modules, `<code>.json?part=first` and `<code>.json?part=rest`. */
export function packParts(): Plugin {
  return {
    name: 'adfolio-pack-parts',
    enforce: 'pre',
    load(id) {
      const match = /^(.*\/packs\/\w+\.json)\?part=(first|rest)$/.exec(id);
      const [, file, part] = match ?? [];
      if (!file) return null;
      this.addWatchFile(file);
      const sections = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
      const own = sections.filter(([name]) => FIRST_TEXTS.includes(name) === (part === 'first'));
      return { code: JSON.stringify(Object.fromEntries(own)), moduleType: 'json' };
    },
  };
}
