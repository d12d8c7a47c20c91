import { ApiError, hasReason } from '@/lib/api/error';
import { createStore } from '@/lib/store';
import { staffSession } from '../session/store';

/** The reason of a call that the server refuses until the second factor was shown a short while ago. */
const SECOND_FACTOR_REQUIRED = 'SECOND_FACTOR_REQUIRED';
/** The reason of a call that the member gave up instead of showing the second factor. */
export const SECOND_FACTOR_CANCELLED = 'SECOND_FACTOR_CANCELLED';

type Asked = { settle: (shown: boolean) => void };

/** The open question for a code; null if there is none. The dialog of the frame shows it. */
export const secondFactorAsked = createStore<Asked | null>(null);

let asking: Promise<boolean> | null = null;

/**
 * Makes a call again once the member has shown the second factor. The refused one changed nothing, and the retry has
 * its idempotency key. Several refused calls share one question. Who has no second factor yet sees the refusal.
 */
export async function withSecondFactor<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!hasReason(error, SECOND_FACTOR_REQUIRED) || isWithoutFactor(error)) throw error;
    if (!(await shown())) throw new ApiError(error.code, '', { reason: SECOND_FACTOR_CANCELLED });
    return send();
  }
}

/** Whether a call was refused because the member has no second factor that could be shown. */
export function isWithoutFactor(error: unknown): boolean {
  return hasReason(error, SECOND_FACTOR_REQUIRED) && !staffSession.get().staff?.has_second_factor;
}

function shown(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => secondFactorAsked.set({ settle: resolve })).finally(() => {
    asking = null;
    secondFactorAsked.set(null);
  });
  return asking;
}
