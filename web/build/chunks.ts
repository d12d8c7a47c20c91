import { FIRST_PAGE, FIRST_SCRIPT, MAIN_PAGES, USER_FRAME } from './entries.ts';

const FRAMEWORK =
  /node_modules[\\/](react|react-dom|scheduler|react-router|cookie|i18next|react-i18next|html-parse-stringify|void-elements|use-sync-external-store|@tanstack)[\\/]/;

const SHARED_BY_PAGES = /[\\/]src[\\/](domain|ui|lib|i18n)[\\/]/;

type ModuleInfoOf = (id: string) => { importers: readonly string[] } | null;
type Graph = { getModuleInfo: ModuleInfoOf };

/**
 * The groups of shared modules. They are few, because every file costs a round trip and headers. Those of entries hold
 * the entries, too.
 */
export const chunkGroups = [
  // Every page needs it and it seldom changes: one file that stays cached over releases of the app.
  { name: 'vendor', test: FRAMEWORK },
  { name: inGroup('boot', FIRST_SCRIPT) },
  { name: inGroup('first', FIRST_PAGE) },
  // Users switch between the main pages all the time, and apart they would be a dozen small files each.
  { name: inGroup('user', [...USER_FRAME, ...MAIN_PAGES]) },
  { name: 'icons', test: /lucide-react/, minShareCount: 4 },
  { name: 'pages', test: SHARED_BY_PAGES, minShareCount: 8 },
];

/** Puts what the entries import statically into a group, together with the entries themselves. */
function inGroup(name: string, entries: readonly string[]) {
  return (id: string, graph: Graph) => {
    const infoOf: ModuleInfoOf = (module) => graph.getModuleInfo(module);
    return entries.some((entry) => isNeededBy(entry, id, infoOf)) ? name : null;
  };
}

function isNeededBy(entry: string, id: string, infoOf: ModuleInfoOf): boolean {
  const seen = new Set<string>();
  const isNeeded = (module: string): boolean => {
    if (module.endsWith(entry)) return true;
    if (seen.has(module)) return false;
    seen.add(module);
    return infoOf(module)?.importers.some(isNeeded) ?? false;
  };
  return isNeeded(id);
}
