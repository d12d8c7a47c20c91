import { useSearchParams } from 'react-router';

/**
 * One of a few choices (a tab, a filter), kept in the URL so that a reload and the way back find it again. The first
 * choice is the default and leaves the URL clean.
 */
export function useChoice<T extends string>(name: string, choices: readonly T[]): [T, (value: T) => void] {
  const [query, setQuery] = useSearchParams();
  const wanted = query.get(name);
  const value = choices.find((choice) => choice === wanted) ?? (choices[0] as T);
  const setValue = (next: T) => {
    setQuery(
      (current) => {
        if (next === choices[0]) current.delete(name);
        else current.set(name, next);
        return current;
      },
      { replace: true },
    );
  };
  return [value, setValue];
}
