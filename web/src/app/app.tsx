import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { HashRouter } from 'react-router';
import { Toaster } from '@/ui/toast';
import { BlockingMessageDialog } from './blocking-message';
import { ErrorBoundary } from './error-boundary';
import { LanguageSync } from './language-sync';
import { refetchOnMount } from './query-client';
import { SessionSync } from './session-sync';
import { Shell } from './shell';

export function App({ queryClient }: { queryClient: QueryClient }) {
  useEffect(() => refetchOnMount(queryClient), [queryClient]);
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <HashRouter>
          <SessionSync />
          <LanguageSync />
          <Shell />
          <BlockingMessageDialog />
        </HashRouter>
        <Toaster />
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
