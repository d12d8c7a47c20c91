import { hashKey, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { roots } from '@/domain/keys';
import { userInfoQuery } from '@/domain/user-info';
import type { UserInfo } from '@/lib/api/types';
import { dropDrafts, setDraftOwner } from '@/lib/drafts';
import { forgetLastSeen, sawData } from '@/lib/last-seen';
import { followOtherTabs, rememberUser, sessionStore } from '@/lib/session/store';

/** Drops a user's data when the session ends, also when it ends in another tab. */
export function SessionSync() {
  const queryClient = useQueryClient();
  useEffect(() => rememberAnswers(queryClient), [queryClient]);
  useEffect(() => rememberWhen(queryClient), [queryClient]);
  useEffect(() => {
    let token = sessionStore.get().token;
    followOtherTabs(() => queryClient.clear());
    return sessionStore.subscribe(() => {
      const { token: current, leftByUser } = sessionStore.get();
      if (leftByUser) dropDrafts();
      if (token !== null && current !== token) {
        queryClient.clear();
        forgetLastSeen();
      }
      token = current;
    });
  }, [queryClient]);
  return null;
}

/** Keeps the user's data for the next visit, whether a query or a mutation brought it. */
function rememberAnswers(queryClient: QueryClient): () => void {
  const userHash = hashKey(userInfoQuery.queryKey);
  // The answer may have arrived before this effect ran.
  const known = queryClient.getQueryData(userInfoQuery.queryKey);
  if (known) remember(known);
  return queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    if (event.query.queryHash !== userHash) return;
    remember(event.query.state.data as UserInfo);
  });
}

/** Keeps the time of the user's newest data. The configuration is everybody's. */
function rememberWhen(queryClient: QueryClient): () => void {
  const queries = queryClient.getQueryCache();
  const note = ({ queryKey, state }: Query) => {
    const isOfUser = sessionStore.get().token !== null && queryKey[0] !== roots.basicConfig[0];
    if (isOfUser && state.dataUpdatedAt > 0) sawData(state.dataUpdatedAt);
  };
  // Answers may have arrived before this effect ran.
  queries.getAll().forEach(note);
  return queries.subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
    note(event.query);
  });
}

function remember(user: UserInfo): void {
  setDraftOwner(user.id);
  rememberUser(user);
}
