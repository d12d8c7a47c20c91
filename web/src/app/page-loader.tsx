import type { QueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy } from 'react';
import { basicConfigQuery } from '@/domain/basic-config';
import { userInfoQuery } from '@/domain/user-info';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { completeTexts } from '@/i18n';
import { formatsFor } from '@/i18n/format';
import { sessionStore } from '@/lib/session/store';
import { createStore } from '@/lib/store';
import { type PageModule, type RouteSpec, routes } from './routes';
import { UnloadedPage } from './unloaded-page';

/** The pages by their paths, from when they are first shown. */
const pages = new Map<string, ComponentType>();

/** How many pages somebody opened whose code is still on its way. */
export const arrivals = createStore(0);

/** The page of a route. One that is not there yet suspends; one that could not be fetched is asked for again once left. */
export function pageOf(route: RouteSpec): ComponentType {
  const known = pages.get(route.path);
  if (known) return known;
  const page = lazy(() => announced(loadOf(route)()).catch(() => ({ default: Unloaded })));
  const Unloaded = () => <UnloadedPage onLeave={() => pages.delete(route.path)} />;
  pages.set(route.path, page);
  return page;
}

/** Counts a page among those on their way until it is there. It is asked for while something is drawn: told after that. */
function announced<T>(loading: Promise<T>): Promise<T> {
  queueMicrotask(() => arrivals.set((count) => count + 1));
  return loading.finally(() => arrivals.set((count) => count - 1));
}

/** Fetches the code of the main pages before it is wanted, so that to switch between them never waits. */
export function fetchMainPages(): void {
  for (const route of routes) {
    // A failure shows itself when the page is wanted.
    if (route.tabBar) loadOf(route)().catch(() => undefined);
  }
}

/** What is answered within this time is drawn at once, without a sign of waiting before. */
const FIRST_ANSWERS_MS = 200;

/**
 * Fetches the page that a visit begins with, so that it is drawn at once, and asks the server for what it will show as soon
 * as its code says what that is. A page that cannot be fetched says so where it is shown.
 */
export async function loadFirstPage(
  { path, login, load }: RouteSpec,
  queryClient: QueryClient,
  search: string,
): Promise<void> {
  try {
    if (!login) {
      pages.set(path, (await load()).default);
      return;
    }
    const frame = askForFrame(queryClient);
    const loading = load();
    const answers = loading.then(
      (page) => Promise.all([frame, page.prefetch?.(queryClient, new URLSearchParams(search))]),
      () => undefined,
    );
    loading.then(warmFormats, () => undefined);
    const page = await withTexts(loading);
    pages.set(path, page.default);
    await atMost(FIRST_ANSWERS_MS, answers);
  } catch {
    // `pageOf` tries once more and shows the failure.
  }
}

/** What stands around every page of a user, and most pages show. */
function askForFrame(queryClient: QueryClient): Promise<unknown> {
  return Promise.all([
    queryClient.prefetchQuery(userInfoQuery),
    queryClient.prefetchQuery(basicConfigQuery(sessionStore.get().lang)),
    queryClient.prefetchQuery(unreadCountQuery),
  ]);
}

/** Browsers load what they need to write numbers and times when first asked to: in steps of its own while answers come. */
function warmFormats(): void {
  const { integer, time } = formatsFor(sessionStore.get().lang);
  setTimeout(() => integer(0));
  setTimeout(() => time(0));
}

function atMost(milliseconds: number, wanted: Promise<unknown>): Promise<unknown> {
  return Promise.race([wanted, new Promise((resolve) => setTimeout(resolve, milliseconds))]);
}

/** A page together with its texts; those of the pages that need no login are there from the start. */
function loadOf({ login, load }: RouteSpec): RouteSpec['load'] {
  return login ? () => withTexts(load()) : load;
}

function withTexts(loading: Promise<PageModule>): Promise<PageModule> {
  return Promise.all([loading, completeTexts()]).then(([page]) => page);
}
