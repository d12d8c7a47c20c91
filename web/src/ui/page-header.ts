import { useEffect } from 'react';
import { createStore } from '@/lib/store';

export type PageHeader = {
  /** Replaces the route's title. */
  title?: string | undefined;
  /** Back leads to the page before, whatever the route says. */
  isDetail?: boolean | undefined;
  /** Where back leads if the visit began with this page; home without it. */
  above?: string | undefined;
  /** Replaces the default action of the back button. */
  onBack?: (() => void) | undefined;
  /** Runs on pull to refresh. */
  onRefresh?: (() => Promise<unknown>) | undefined;
};

export const pageHeaderStore = createStore<PageHeader>({});

/** Sets a page's header and refresh action while the page is mounted. */
export function usePageHeader({ title, isDetail, above, onBack, onRefresh }: PageHeader): void {
  useEffect(() => {
    const mine = { title, isDetail, above, onBack, onRefresh };
    pageHeaderStore.set(mine);
    return () => pageHeaderStore.set((current) => (current === mine ? {} : current));
  }, [title, isDetail, above, onBack, onRefresh]);
}
