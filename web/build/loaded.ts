/** The groups of `chunks.ts` that every visit loads before anything else. */
const LOADED = /^assets\/(rolldown-runtime|vendor|boot|first)-[^/]+$/;

type Host = { hostType: 'html' | 'js' };

/** What a dynamic import preloads. The names of files that are there already would only make every page larger. */
export function withoutLoaded(_file: string, files: string[], { hostType }: Host): string[] {
  return hostType === 'html' ? files : files.filter((file) => !LOADED.test(file));
}
