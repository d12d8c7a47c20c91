import { createStore } from './store';

/** Whether the server has a newer release than this page. The next start of the app takes it; the user may want it now. */
export const updateStore = createStore(false);
