import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import type { UserInfo } from '@/lib/api/types';
import { staffGet } from './call';
import { consoleKeys } from './keys';

type Options = {
  limit: number;
  /** From how many characters on it is looked for. */
  from?: number;
  enabled?: boolean;
};

type Found = {
  users: readonly UserInfo[];
  /** Whether anything is looked for at all. */
  isAsked: boolean;
  isPending: boolean;
  /** Whether more match than are shown. */
  hasMore: boolean;
  error: Error | null;
  retry: () => void;
};

/** Users who match what is typed: by name, id, licence key or phone, as far as the role sees these. */
export function useFoundUsers(typed: string, { limit, from = 1, enabled = true }: Options): Found {
  const query = useDeferredValue(typed.trim());
  const isAsked = enabled && query.length >= from;
  const found = useQuery({
    queryKey: consoleKeys.list('/admin/user/list', { query, limit: String(limit) }),
    queryFn: ({ signal }) => staffGet('/admin/user/list', { query, limit }, { signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return {
    users: isAsked ? (found.data?.items ?? []) : [],
    isAsked,
    isPending: isAsked && found.isPending,
    hasMore: isAsked && (found.data?.next_cursor ?? null) !== null,
    error: isAsked ? found.error : null,
    retry: () => void found.refetch(),
  };
}
