/** The gateway's envelope codes. */
export const Code = {
  ok: 200,
  badParams: 400,
  notAuthenticated: 401,
  notActivated: 402,
  disabled: 403,
  cancelled: 404,
  dataError: 405,
  tooMany: 429,
  server: 500,
  sessionExpired: 503,
  usernameTaken: 4001,
} as const;

export type ErrorData = {
  reason?: string | null;
  field?: string | null;
  rule?: string | null;
  lang?: string | null;
  retry_after?: number | null;
  missing?: string | null;
};

/**
 * A failed call. `code` is the envelope's code, or 0 without an answer. `message` is the server's text in the user's
 * language; if empty, the screen shows its own.
 */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly field: string | null;
  readonly lang: string | null;
  readonly retryAfterSeconds: number | null;
  /** The amount that is missing, for a refusal for lack of one. */
  readonly missing: string | null;
  /** True if a service refused the call, so that it certainly had no effect. */
  readonly refused: boolean;

  constructor(code: number, message: string, data: ErrorData = {}, httpStatus = 200) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = data.reason ?? '';
    this.field = data.field ?? null;
    this.lang = data.lang ?? null;
    this.retryAfterSeconds = data.retry_after ?? null;
    this.missing = data.missing ?? null;
    this.refused = httpStatus === 200 && code !== Code.server && code !== 0;
  }
}

/** The reason of a call without an answer. */
export const NETWORK = 'NETWORK';

export function isNetworkError(error: unknown): boolean {
  return hasReason(error, NETWORK);
}

/** The reason of a call that the server refuses until the user has confirmed their identity. */
export const STEP_UP_REQUIRED = 'STEP_UP_REQUIRED';

/** The reason of a call that the user gave up instead of confirming their identity. The server has refused it. */
export const STEP_UP_CANCELLED = 'STEP_UP_CANCELLED';

/** The reason of an assertion that is spent, expired or not a host's. */
export const ASSERTION_REJECTED = 'ASSERTION_REJECTED';

/** The reason of a put whose amount is too small for its coupon. */
export const COUPON_BELOW_REQUIREMENT = 'COUPON_BELOW_REQUIREMENT';

/** The reason of a link in a mail that is unknown or too old. */
export const DISOWN_LINK_INVALID = 'DISOWN_LINK_INVALID';

export function hasReason(error: unknown, reason: string): error is ApiError {
  return error instanceof ApiError && error.reason === reason;
}

/** Codes about the session or the account, which are handled centrally. */
export function isSessionError(error: unknown): boolean {
  const { notAuthenticated, notActivated, disabled, cancelled, sessionExpired } = Code;
  const codes: readonly number[] = [notAuthenticated, notActivated, disabled, cancelled, sessionExpired];
  return error instanceof ApiError && codes.includes(error.code);
}
