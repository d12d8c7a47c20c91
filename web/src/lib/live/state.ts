import { createStore } from '@/lib/store';

/** Whether the event stream is connected. Pages poll while it is not. */
export const liveStore = createStore(false);
