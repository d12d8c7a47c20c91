import type { components } from '@/lib/api/schema';
import { createStore } from '@/lib/store';

export type Staff = components['schemas']['Staff'];

/** Why the last session ended, as the login page says it. */
export type EndedBy = 'expired' | 'idle' | 'password_changed';

export type StaffSessionState = {
  token: string | null;
  /** The member as of the login or the last answer about them; null without a session. */
  staff: Staff | null;
  endedBy: EndedBy | null;
  /** Whether the server refuses everything else until the member has set up a second factor. */
  mustSetUpFactor: boolean;
};

const SESSION_KEY = 'adfolio.console.session';
/** Belongs to the device and not to a session, so it outlives both. */
const DEVICE_KEY = 'adfolio.console.device';

/**
 * The session of this tab. It is in `sessionStorage`: closing the tab ends it, and another tab starts with a login of
 * its own.
 */
export const staffSession = createStore<StaffSessionState>(readStored());

function readStored(): StaffSessionState {
  try {
    const kept = JSON.parse(
      sessionStorage.getItem(SESSION_KEY) ?? 'null',
    ) as Partial<StaffSessionState> | null;
    if (typeof kept?.token === 'string' && typeof kept.staff?.id === 'string')
      return { token: kept.token, staff: kept.staff, endedBy: null, mustSetUpFactor: false };
  } catch {
    // Blocked storage or another version's value: start without a session.
  }
  return { token: null, staff: null, endedBy: null, mustSetUpFactor: false };
}

export function startStaffSession(token: string, staff: Staff): void {
  keep({ token, staff, endedBy: null, mustSetUpFactor: false });
}

/** Replaces what is known of the member, as after a change of their own password or second factor. */
export function updateStaff(change: Partial<Staff>): void {
  const { token, staff } = staffSession.get();
  if (token !== null && staff !== null)
    keep({ token, staff: { ...staff, ...change }, endedBy: null, mustSetUpFactor: false });
}

/** Notes that the server wants a second factor before anything else. */
export function demandSecondFactor(): void {
  staffSession.set((state) => (state.mustSetUpFactor ? state : { ...state, mustSetUpFactor: true }));
}

/** Ends the session in this tab; null for a logout. */
export function endStaffSession(endedBy: EndedBy | null): void {
  keep({ token: null, staff: null, endedBy, mustSetUpFactor: false });
}

function keep(state: StaffSessionState): void {
  try {
    if (state.token === null) sessionStorage.removeItem(SESSION_KEY);
    else sessionStorage.setItem(SESSION_KEY, JSON.stringify({ token: state.token, staff: state.staff }));
  } catch {
    // Kept in memory only.
  }
  staffSession.set(state);
}

export function staffDevice(): string | null {
  try {
    return localStorage.getItem(DEVICE_KEY);
  } catch {
    return null;
  }
}

export function keepStaffDevice(token: string | null): void {
  try {
    if (token) localStorage.setItem(DEVICE_KEY, token);
  } catch {
    // The next login counts as one from a new device.
  }
}
