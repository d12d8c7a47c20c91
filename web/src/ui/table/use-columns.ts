import { useSearchParams } from 'react-router';
import { useQueryPatch } from '../use-query-patch';

type Column = { key: string; label: string };

const NAME = 'columns';

/**
 * The columns that a table shows, and the menu that chooses them. The address names only what differs from the usual
 * ones: `-clicks` is left out, `result` is added. The first column stays, because it names the row.
 */
export function useColumns<C extends Column>(all: readonly C[], extra: readonly string[]) {
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const changed = changedBy(query);
  const nameOf = (key: string) => (extra.includes(key) ? key : `-${key}`);
  const isShown = (key: string) => extra.includes(key) === changed.has(nameOf(key));
  const [first, ...others] = all;
  const shown = new Set(others.filter(({ key }) => isShown(key)).map(({ key }) => key));
  return {
    columns: all.filter((column) => column === first || shown.has(column.key)),
    menu: {
      columns: others,
      shown,
      onToggle: (key: string) => {
        const name = nameOf(key);
        patch((current) => {
          const before = changedBy(current);
          const next = others
            .map((column) => nameOf(column.key))
            .filter((one) => before.has(one) !== (one === name));
          return { [NAME]: next.join(' ') };
        });
      },
    },
  };
}

function changedBy(query: URLSearchParams): Set<string> {
  return new Set((query.get(NAME) ?? '').split(' ').filter(Boolean));
}
