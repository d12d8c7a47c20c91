import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { HashRouter } from 'react-router';
import { useStore } from '@/lib/use-store';
import { Toaster } from '@/ui/toast';
import { Outcomes } from './act/outcomes';
import { CrashBoundary } from './frame/crash-boundary';
import { Frame } from './frame/frame';
import { LoginPage } from './session/login';
import { SecondFactorDialog } from './session/second-factor-dialog';
import { SessionWatch } from './session/session-watch';
import { staffSession } from './session/store';

/** Seldom seen: only after a login with a one-time password. */
const OwnPasswordPage = lazy(() => import('./session/own-password-page'));

export function Console({ queryClient }: { queryClient: QueryClient }) {
  const { token, staff } = useStore(staffSession);
  // Nothing that one member has read may be there for the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the token is what changes with the session
  useEffect(() => () => queryClient.clear(), [queryClient, token]);
  return (
    <CrashBoundary>
      <QueryClientProvider client={queryClient}>
        <HashRouter>
          {token === null || staff === null ? (
            <LoginPage />
          ) : staff.must_change_password ? (
            <Suspense>
              <OwnPasswordPage />
            </Suspense>
          ) : (
            <Frame key={token} />
          )}
          {token === null ? null : (
            <>
              <SecondFactorDialog />
              <SessionWatch />
              <Outcomes />
            </>
          )}
        </HashRouter>
        <Toaster />
      </QueryClientProvider>
    </CrashBoundary>
  );
}
