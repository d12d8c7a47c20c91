import { checkNewPassword, type NewPasswordError } from '@/domain/login-password';

export type PasswordValues = { old_password: string; new_password: string; confirm_password: string };

/** A key below `security_login.error`, or an error of any new password. */
export type PasswordError =
  | 'old_required'
  | 'new_required'
  | 'unchanged'
  | 'confirm_required'
  | 'differ'
  | NewPasswordError;

/** The key of an error's text. */
export function textOfError(error: PasswordError) {
  switch (error) {
    case 'password_short':
    case 'password_long':
    case 'password_blank':
      return `auth.error.${error}` as const;
    default:
      return `security_login.error.${error}` as const;
  }
}

export function checkPasswordChange(values: PasswordValues): {
  [K in keyof PasswordValues]?: PasswordError | undefined;
} {
  return {
    old_password: values.old_password === '' ? 'old_required' : undefined,
    new_password: checkNew(values),
    confirm_password: checkConfirmation(values),
  };
}

function checkNew({ old_password, new_password }: PasswordValues): PasswordError | undefined {
  if (new_password === '') return 'new_required';
  if (new_password === old_password) return 'unchanged';
  return checkNewPassword(new_password);
}

function checkConfirmation({ new_password, confirm_password }: PasswordValues): PasswordError | undefined {
  if (confirm_password === '') return 'confirm_required';
  return confirm_password === new_password ? undefined : 'differ';
}

/** The field that a server error belongs to, by its `field` or else its reason. */
export function passwordFieldOf(field: string | null, reason: string): keyof PasswordValues | null {
  const byReason: Record<string, keyof PasswordValues> = {
    WRONG_PASSWORD: 'old_password',
    PASSWORD_UNCHANGED: 'new_password',
    PASSWORD_MISMATCH: 'confirm_password',
  };
  const known = (['old_password', 'new_password', 'confirm_password'] as const).find(
    (name) => name === field,
  );
  return byReason[reason] ?? known ?? null;
}
