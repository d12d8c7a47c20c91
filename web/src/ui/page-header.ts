import { useEffect } from 'react';
import { createStore } from '@/lib/store';

export type PageHeader = {
  /** Takes the place of the route's title. */
  title?: string | undefined;
  /** Runs in place of every other rule of the back button. */
  onBack?: (() => void) | undefined;
  /** What pulling the page down does. */
  onRefresh?: (() => Promise<unknown>) | undefined;
};

export const pageHeaderStore = createStore<PageHeader>({});

/** What a page tells the shell about itself for as long as it is shown. */
export function usePageHeader({ title, onBack, onRefresh }: PageHeader): void {
  useEffect(() => {
    const mine = { title, onBack, onRefresh };
    pageHeaderStore.set(mine);
    return () => pageHeaderStore.set((current) => (current === mine ? {} : current));
  }, [title, onBack, onRefresh]);
}
