import { useSearchParams } from 'react-router';
import { useQueryPatch } from './use-query-patch';

/**
 * A choice, such as a tab or filter, in the URL, so that a reload or Back restores it. The first choice is the default
 * and is omitted from the URL.
 */
export function useChoice<T extends string>(name: string, choices: readonly T[]): [T, (value: T) => void] {
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const value = choiceOf(query, name, choices);
  return [value, (next) => patch({ [name]: next === choices[0] ? null : next })];
}

/** The choice in a query; the default if it is missing or unknown. */
export function choiceOf<T extends string>(query: URLSearchParams, name: string, choices: readonly T[]): T {
  const wanted = query.get(name);
  return choices.find((choice) => choice === wanted) ?? (choices[0] as T);
}
