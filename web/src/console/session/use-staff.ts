import { useStore } from '@/lib/use-store';
import { mayCall, type StaffCall } from '../api/roles';
import { type Staff, staffSession } from './store';

/** The member whose session this is. Only for pages behind the login. */
export function useStaff(): Staff {
  const staff = useStore(staffSession, (state) => state.staff);
  if (!staff) throw new Error('no session of staff');
  return staff;
}

/** Whether the member's role may make a call. */
export function useMay(): (call: StaffCall) => boolean {
  const { role } = useStaff();
  return (call) => mayCall(role, call);
}
