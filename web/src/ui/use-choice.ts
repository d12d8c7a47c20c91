import { useSearchParams } from 'react-router';

/**
 * One of a few choices (a tab, a filter), kept in the URL so that a reload and the way back find it again. The first
 * choice is the default and leaves the URL clean.
 */
export function useChoice<T extends string>(name: string, choices: readonly T[]): [T, (value: T) => void] {
  const [query, setQuery] = useSearchParams();
  const value = choiceOf(query, name, choices);
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

/** What a query chooses; anything that is none of the choices is the default. */
export function choiceOf<T extends string>(query: URLSearchParams, name: string, choices: readonly T[]): T {
  const wanted = query.get(name);
  return choices.find((choice) => choice === wanted) ?? (choices[0] as T);
}
