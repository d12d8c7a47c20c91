import { staffPost } from '../api/call';
import { type EndedBy, endStaffSession } from './store';

/** Ends the session here at once, and on the server if it answers; otherwise it expires there. */
export async function logOut(endedBy: EndedBy | null): Promise<void> {
  // The call is on its way with the token before the token is gone.
  const told = staffPost('/admin/logout', {});
  endStaffSession(endedBy);
  await told.catch(() => undefined);
}
