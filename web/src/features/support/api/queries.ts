import { queryOptions } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import type { LegalName } from '@/lib/api/types';
import { supportKeys } from './keys';

/** A legal text in the language that every call names. */
export const legalQuery = (name: LegalName, lang: string) =>
  queryOptions({
    queryKey: supportKeys.legal(name, lang),
    queryFn: ({ signal }) => get('/legal', { name }, { signal }),
    staleTime: 60_000,
  });
