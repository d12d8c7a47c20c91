import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, useState } from 'react';
import { HashRouter, Navigate, Route, Routes } from 'react-router';
import { completeTexts } from '@/i18n';
import { Toaster } from '@/ui/toast';
import { BlockingMessageDialog } from './blocking-message';
import { ErrorBoundary } from './error-boundary';
import { Guard } from './guard';
import { LanguageSync } from './language-sync';
import { Live } from './live';
import { createQueryClient } from './query-client';
import { LOGIN_PATH, NOT_FOUND_PATH, type RouteSpec, routes } from './routes';
import { SessionSync } from './session-sync';
import { Shell } from './shell';
import { UnloadedPage } from './unloaded-page';

/** The pages by their paths, from when they are first shown. */
const pages = new Map<string, ComponentType>();

/** One that could not be fetched is asked for again once what stood for it is left. */
function pageOf(route: RouteSpec): ComponentType {
  const known = pages.get(route.path);
  if (known) return known;
  const page = lazy(() => loadOf(route)().catch(() => ({ default: Unloaded })));
  const Unloaded = () => <UnloadedPage onLeave={() => pages.delete(route.path)} />;
  pages.set(route.path, page);
  return page;
}

/** A page together with its texts; those of the pages that need no login are there from the start. */
function loadOf({ login, load }: RouteSpec): RouteSpec['load'] {
  return login ? () => Promise.all([load(), completeTexts()]).then(([page]) => page) : load;
}

export function App() {
  const [queryClient] = useState(createQueryClient);
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <HashRouter>
          <SessionSync />
          <LanguageSync />
          <Live />
          <Routes>
            <Route path="/" element={<Navigate to={LOGIN_PATH} replace />} />
            <Route element={<Shell />}>
              {routes.map((route) => (
                <Route key={route.path} path={route.path} element={<Screen route={route} />} />
              ))}
              <Route path="*" element={<Navigate to={NOT_FOUND_PATH} replace />} />
            </Route>
          </Routes>
          <BlockingMessageDialog />
        </HashRouter>
        <Toaster />
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Screen({ route }: { route: RouteSpec }) {
  const Page = pageOf(route);
  return (
    <Guard route={route}>
      <Page />
    </Guard>
  );
}
