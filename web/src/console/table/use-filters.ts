import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { GetQuery } from '@/lib/api/contract';
import { ANY, type Filter, type List, type ListPath } from './list';

export type Filters<P extends ListPath> = {
  /** The value of each filter in the fields of the page; '' for none. */
  values: Readonly<Record<string, string>>;
  /** The same as the call has it. */
  query: GetQuery<P>;
  isFiltered: boolean;
  /** Whether nothing is left out: a list may begin with a choice, such as what is pending. */
  isAll: boolean;
  set: (name: string, value: string) => void;
  replace: (search: string) => void;
  clear: () => void;
  /** What a saved view keeps. */
  search: string;
};

/** The filters of a list, which are in the page's address: a link shows the same rows. */
export function useFilters<P extends ListPath>({ filters, fixed }: List<P>): Filters<P> {
  const [params, setParams] = useSearchParams();
  return useMemo(() => {
    const only = filters.find(({ name, alone }) => alone && params.get(name));
    const values = Object.fromEntries(
      filters.map((filter) => [
        filter.name,
        only && filter !== only ? '' : chosenOf(filter, params.get(filter.name)),
      ]),
    );
    const sent = Object.entries(values).filter(([, value]) => value !== '');
    return {
      values,
      query: { ...fixed, ...Object.fromEntries(sent) } as GetQuery<P>,
      isAll: sent.length === 0,
      isFiltered: filters.some(({ name }) => params.has(name)),
      set: (name, value) =>
        setParams(
          (current) => {
            const filter = filters.find((known) => known.name === name);
            const next = new URLSearchParams(current);
            const standsAlone = filter?.alone === true && value !== '';
            for (const other of othersOf(filters, name, standsAlone)) next.delete(other);
            if (filter && value === chosenOf(filter, null)) next.delete(name);
            else next.set(name, value === '' ? ANY : value);
            return next;
          },
          { replace: true },
        ),
      replace: (search) => setParams(new URLSearchParams(search)),
      clear: () => setParams(new URLSearchParams(), { replace: true }),
      search: params.toString(),
    };
  }, [filters, fixed, params, setParams]);
}

/** The filters that cannot be set beside this one. */
function othersOf<P extends ListPath>(
  filters: readonly Filter<P>[],
  name: string,
  standsAlone: boolean,
): string[] {
  const others = filters.filter((filter) => filter.name !== name && (standsAlone || filter.alone));
  return others.map((other) => other.name);
}

function chosenOf<P extends ListPath>(filter: Filter<P>, given: string | null): string {
  if (filter.kind !== 'choice') return given ?? '';
  if (given === ANY) return '';
  const known = filter.options.some(({ value }) => value === given);
  return known && given !== null ? given : (filter.initial ?? '');
}
