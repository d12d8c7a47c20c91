import { createStore } from '@/lib/store';

/** The plan that was just closed, until its row has the focus back. */
export const returned = createStore<string | null>(null);
