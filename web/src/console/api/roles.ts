import type { components } from '@/lib/api/schema';
import { ACCESS } from './access';

export type Role = components['schemas']['StaffRole'];

/** A call of staff, such as `POST /admin/withdraw/decide`. */
export type StaffCall = keyof typeof ACCESS;

/** Whether the role may make the call. What it may not do is not offered; the server refuses it in any case. */
export function mayCall(role: Role, call: StaffCall): boolean {
  return (ACCESS[call] as readonly Role[]).includes(role);
}
