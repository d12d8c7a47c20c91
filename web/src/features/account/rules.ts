import type { UserInfo } from '@/lib/api/types';
import { isEmail, isPhone } from '@/lib/contact';

export const NICKNAME_MAX = 50;

export type ProfileValues = { nickname: string; email: string; phone: string };

/** A key below `account.error`. */
export type ProfileError =
  | 'nickname_required'
  | 'email_required'
  | 'email_invalid'
  | 'phone_required'
  | 'phone_invalid';

/** An account that has an email or phone number must keep one; an account without may stay without. */
export function checkProfile(
  values: ProfileValues,
  current: ProfileValues,
): { [K in keyof ProfileValues]?: ProfileError | undefined } {
  const { nickname, email, phone } = trimmed(values);
  const emptied = (name: 'email' | 'phone') =>
    current[name] === '' ? undefined : (`${name}_required` as const);
  return {
    nickname: nickname === '' ? 'nickname_required' : undefined,
    email: email === '' ? emptied('email') : isEmail(email) ? undefined : 'email_invalid',
    phone: phone === '' ? emptied('phone') : isPhone(phone) ? undefined : 'phone_invalid',
  };
}

export type ProfileChange = Partial<ProfileValues> & { avatar_file_id?: string };

/** The changed fields; null if there are none. `avatar` is an uploaded file's id, or empty for none. */
export function profileChange(
  values: ProfileValues,
  current: ProfileValues,
  avatar: string | undefined,
): ProfileChange | null {
  const changed = Object.entries(trimmed(values)).filter(
    ([name, value]) => value !== current[name as keyof ProfileValues],
  );
  const change: ProfileChange = { ...Object.fromEntries(changed) };
  if (avatar !== undefined) change.avatar_file_id = avatar;
  return Object.keys(change).length > 0 ? change : null;
}

/** The field that a server error belongs to. */
export function profileFieldOf(field: string | null): keyof ProfileValues | null {
  return field === 'nickname' || field === 'email' || field === 'phone' ? field : null;
}

function trimmed({ nickname, email, phone }: ProfileValues): ProfileValues {
  return { nickname: nickname.trim(), email: email.trim(), phone: phone.trim() };
}

/** Up to two initials, shown without a picture. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toLocaleUpperCase();
}

export function nameOf({ nickname, username }: Pick<UserInfo, 'nickname' | 'username'>): string {
  return nickname || username;
}

export const PROFILE_DRAFT = 'profile';
