import { FIRST_PAGE, FIRST_SCRIPT, MAIN_PAGES } from './entries.ts';

const FRAMEWORK =
  /node_modules[\\/](react|react-dom|scheduler|react-router|cookie|i18next|react-i18next|html-parse-stringify|void-elements|use-sync-external-store|@tanstack)[\\/]/;

const SHARED_BY_PAGES = /[\\/](src[\\/](domain|ui|lib|i18n)|lucide-react)[\\/]/;

type ModuleInfoOf = (id: string) => { importers: readonly string[] } | null;
type Graph = { getModuleInfo: ModuleInfoOf };

/** The groups of shared modules. They are few, because every file costs a round trip. */
export const chunkGroups = [
  // Every page needs it and it seldom changes: one file that stays cached over releases of the app.
  { name: 'vendor', test: FRAMEWORK },
  { name: inGroup('boot', FIRST_SCRIPT) },
  { name: inGroup('first', FIRST_PAGE) },
  { name: inGroup('pages', MAIN_PAGES), minShareCount: 2 },
  { name: 'pages', test: SHARED_BY_PAGES, minShareCount: 4 },
];

/** Puts what one of the entries imports statically into a group, but not the entries themselves. */
function inGroup(name: string, entries: readonly string[]) {
  return (id: string, graph: Graph) =>
    isNeededBy(entries, id, (module) => graph.getModuleInfo(module)) ? name : null;
}

function isNeededBy(entries: readonly string[], id: string, infoOf: ModuleInfoOf): boolean {
  const isEntry = (module: string) => entries.some((entry) => module.endsWith(entry));
  if (isEntry(id)) return false;
  const seen = new Set<string>();
  const isNeeded = (module: string): boolean => {
    if (isEntry(module)) return true;
    if (seen.has(module)) return false;
    seen.add(module);
    return infoOf(module)?.importers.some(isNeeded) ?? false;
  };
  return isNeeded(id);
}
