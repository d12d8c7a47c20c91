import { useSearchParams } from 'react-router';

export type QueryPatch = Record<string, string | null | undefined>;

/** Changes parts of the address's query in place. Without a value, a part is left out. */
export function useQueryPatch(): (patch: QueryPatch) => void {
  const [, setQuery] = useSearchParams();
  return (patch) =>
    setQuery(
      (current) => {
        for (const [name, value] of Object.entries(patch)) {
          if (value) current.set(name, value);
          else current.delete(name);
        }
        return current;
      },
      { replace: true },
    );
}
