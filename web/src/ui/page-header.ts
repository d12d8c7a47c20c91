import { useEffect } from 'react';
import { createStore } from '@/lib/store';

export type PageHeader = {
  /** Replaces the route's title. */
  title?: string | undefined;
  /** Replaces the default action of the back button. */
  onBack?: (() => void) | undefined;
  /** Runs on pull to refresh. */
  onRefresh?: (() => Promise<unknown>) | undefined;
};

export const pageHeaderStore = createStore<PageHeader>({});

/** Sets a page's header and refresh action while the page is mounted. */
export function usePageHeader({ title, onBack, onRefresh }: PageHeader): void {
  useEffect(() => {
    const mine = { title, onBack, onRefresh };
    pageHeaderStore.set(mine);
    return () => pageHeaderStore.set((current) => (current === mine ? {} : current));
  }, [title, onBack, onRefresh]);
}
