import { checkNewPassword, type NewPasswordError } from '@/domain/login-password';
import { isEmail, isPhone } from '@/lib/contact';

/** The fields as typed. Errors are keys below `auth.error`. */
export type LoginValues = { username: string; password: string };

export type RegisterValues = {
  username: string;
  nickname: string;
  password: string;
  confirm_password: string;
  email: string;
  phone: string;
  licenseKey: string;
};

export type FieldError =
  | 'username_required'
  | 'password_required'
  | NewPasswordError
  | 'confirm_required'
  | 'passwords_differ'
  | 'email_required'
  | 'email_invalid'
  | 'phone_required'
  | 'phone_invalid'
  | 'license_required'
  | 'code_required';

type Errors<V> = { [K in keyof V]?: FieldError | undefined };

export function checkLogin(values: LoginValues): Errors<LoginValues> {
  return {
    username: values.username.trim() === '' ? 'username_required' : undefined,
    password: values.password === '' ? 'password_required' : undefined,
  };
}

export function checkRegister(values: RegisterValues): Errors<RegisterValues> {
  return {
    username: values.username.trim() === '' ? 'username_required' : undefined,
    password: values.password === '' ? 'password_required' : checkNewPassword(values.password),
    confirm_password: checkConfirmation(values.password, values.confirm_password),
    email: checkEmail(values.email.trim()),
    phone: checkPhone(values.phone.trim()),
    licenseKey: values.licenseKey.trim() === '' ? 'license_required' : undefined,
  };
}

function checkConfirmation(password: string, confirmation: string): FieldError | undefined {
  if (confirmation === '') return 'confirm_required';
  return confirmation === password ? undefined : 'passwords_differ';
}

export function checkEmail(email: string): FieldError | undefined {
  if (email === '') return 'email_required';
  return isEmail(email) ? undefined : 'email_invalid';
}

export function checkPhone(phone: string): FieldError | undefined {
  if (phone === '') return 'phone_required';
  return isPhone(phone) ? undefined : 'phone_invalid';
}

/** The request body. Trims everything but passwords and omits an empty nickname. */
export function registerBody({ nickname, ...values }: RegisterValues) {
  const name = nickname.trim();
  return {
    username: values.username.trim(),
    password: values.password,
    confirm_password: values.confirm_password,
    email: values.email.trim(),
    phone: values.phone.trim(),
    licenseKey: values.licenseKey.trim(),
    ...(name === '' ? {} : { nickname: name }),
  };
}

/** The form field that a server error belongs to, by its `field` or else its reason. */
export function registerFieldOf(field: string | null, reason: string): keyof RegisterValues | null {
  const byReason: Record<string, keyof RegisterValues> = {
    USERNAME_TAKEN: 'username',
    LICENSE_NOT_FOUND: 'licenseKey',
    LICENSE_USED: 'licenseKey',
    PASSWORD_MISMATCH: 'confirm_password',
  };
  const known: Record<string, keyof RegisterValues> = {
    username: 'username',
    nickname: 'nickname',
    password: 'password',
    confirm_password: 'confirm_password',
    confirmPassword: 'confirm_password',
    email: 'email',
    phone: 'phone',
    licenseKey: 'licenseKey',
    license_key: 'licenseKey',
  };
  return known[field ?? ''] ?? byReason[reason] ?? null;
}

/** Whether a host's token is a signed assertion: a JWT, three base64url parts. Session tokens have no dots. */
export function isAssertion(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/** The name of an assertion: its signature, which no other one has. */
export function signatureOf(assertion: string): string {
  return assertion.slice(assertion.lastIndexOf('.') + 1);
}

/** Opening an account, with the query of the entry. An assertion is spent by then, and its session is stored. */
export function welcomePath(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  if (isAssertion(rest.get('token') ?? '')) rest.delete('token');
  return `/ad-welcome?${rest}`;
}

/** The path inside the app to return to after the login; `home` for anything else. */
export function returnPath(from: unknown, home: string): string {
  return typeof from === 'string' && /^\/(?!\/)/.test(from) && !from.startsWith('/login') ? from : home;
}
