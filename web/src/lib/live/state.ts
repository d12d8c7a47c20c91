import { createStore } from '@/lib/store';

/** Whether the server tells by itself what changes; while it does not, pages ask from time to time. */
export const liveStore = createStore(false);
