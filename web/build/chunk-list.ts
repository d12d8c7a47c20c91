import { sep } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** Which file has a module of `src` or the pages, and which files each file imports statically. */
export type ChunkList = { fileOf: Record<string, string>; imports: Record<string, string[]> };

/**
 * Writes the list from which the check of sizes sums up a page. Vite's own manifest lacks the entries that share a file
 * with other modules.
 */
export function chunkList(fileName: string): Plugin {
  let root = '';
  return {
    name: 'adfolio-chunk-list',
    apply: 'build',
    configResolved: (config) => {
      root = `${config.root}${sep}`;
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const source = JSON.stringify(listOf(chunks, root));
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

function listOf(chunks: readonly Rolldown.OutputChunk[], root: string): ChunkList {
  const own = (id: string) => id.startsWith(`${root}src`);
  return {
    fileOf: Object.fromEntries(
      chunks.flatMap(({ fileName, moduleIds }) =>
        moduleIds.filter(own).map((id) => [id.slice(root.length).replaceAll(sep, '/'), fileName]),
      ),
    ),
    imports: Object.fromEntries(chunks.map(({ fileName, imports }) => [fileName, imports])),
  };
}
