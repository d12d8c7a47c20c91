import type { QueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy } from 'react';
import { basicConfigQuery } from '@/domain/basic-config';
import { userInfoQuery } from '@/domain/user-info';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { loadTexts } from '@/i18n';
import { formatsFor } from '@/i18n/format';
import { sessionStore } from '@/lib/session/store';
import { createStore } from '@/lib/store';
import { fetchAhead } from '@/ui/use-part';
import { parts } from './parts';
import { type RouteSpec, routes } from './routes';
import { textsOf } from './rules';
import { UnloadedPage } from './unloaded-page';

/** Pages that have been shown, by path. */
const pages = new Map<string, ComponentType>();

/** The number of opened pages whose code is still loading. */
export const arrivals = createStore(0);

/** The page of a route. Suspends until it has loaded. After a failure, leaving the page allows another attempt. */
export function pageOf(route: RouteSpec): ComponentType {
  const known = pages.get(route.path);
  if (known) return known;
  const page = lazy(() => announced(loadOf(route)()).catch(() => ({ default: Unloaded })));
  const Unloaded = () => <UnloadedPage onLeave={() => pages.delete(route.path)} />;
  pages.set(route.path, page);
  return page;
}

/** Counts a page as loading. Called during a render, so the store is updated after it. */
function announced<T>(loading: Promise<T>): Promise<T> {
  queueMicrotask(() => arrivals.set((count) => count + 1));
  return loading.finally(() => arrivals.set((count) => count - 1));
}

/**
 * Prefetches the parts and the main pages, so that they open at once, and offline. One after the other, because together
 * they would keep a phone busy for a tenth of a second.
 */
export async function fetchRest(): Promise<void> {
  for (const part of Object.values(parts)) await fetchAhead([part]);
  for (const route of routes) {
    // If this fails, opening the page reports it.
    if (route.tabBar) await loadOf(route)().catch(() => undefined);
  }
}

/** Answers within this time are part of the first drawing, without a loading state before. */
const FIRST_ANSWERS_MS = 200;

/**
 * Fetches the first page of a visit and starts its requests as soon as its code is there. A page that cannot be fetched
 * reports it where it is shown.
 */
export async function loadFirstPage(
  route: RouteSpec,
  queryClient: QueryClient,
  search: string,
): Promise<void> {
  const { path, load } = route;
  try {
    if (!route.login) {
      pages.set(path, (await loadOf(route)()).default);
      return;
    }
    const frame = askForFrame(queryClient);
    const loading = load();
    const answers = loading.then(
      (page) => Promise.all([frame, page.prefetch?.(queryClient, new URLSearchParams(search))]),
      () => undefined,
    );
    loading.then(warmFormats, () => undefined);
    const [page] = await Promise.all([loading, loadTexts(textsOf(route)), fetchAhead([parts.userFrame])]);
    pages.set(path, page.default);
    await atMost(FIRST_ANSWERS_MS, answers);
  } catch {
    // `pageOf` retries and shows the failure.
  }
}

/** Requests what the frame around every page shows. */
function askForFrame(queryClient: QueryClient): Promise<unknown> {
  return Promise.all([
    queryClient.prefetchQuery(userInfoQuery),
    queryClient.prefetchQuery(basicConfigQuery(sessionStore.get().lang)),
    queryClient.prefetchQuery(unreadCountQuery),
  ]);
}

/** Browsers load their formatting data on first use. Does that in separate tasks while the answers are pending. */
function warmFormats(): void {
  const { integer, time } = formatsFor(sessionStore.get().lang);
  setTimeout(() => integer(0));
  setTimeout(() => time(0));
}

function atMost(milliseconds: number, wanted: Promise<unknown>): Promise<unknown> {
  return Promise.race([wanted, new Promise((resolve) => setTimeout(resolve, milliseconds))]);
}

/** Loads a page with its texts and its frame. */
function loadOf(route: RouteSpec): RouteSpec['load'] {
  const texts = textsOf(route);
  if (texts.length === 0) return route.load;
  const frame = route.login ? [parts.userFrame] : [];
  return () => Promise.all([route.load(), loadTexts(texts), fetchAhead(frame)]).then(([page]) => page);
}
