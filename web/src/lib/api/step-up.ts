import { createStore } from '@/lib/store';
import { ApiError, hasReason, STEP_UP_CANCELLED, STEP_UP_REQUIRED } from './error';

/** Calls that wait until the user has confirmed their identity. */
export type StepUpRequest = {
  /** The server's refusal of the first of them. */
  refusal: ApiError;
  settle: (confirmed: boolean) => void;
};

/** The open request. At most one exists, however many calls wait for it. The app shows a sheet for it. */
export const stepUpStore = createStore<StepUpRequest | null>(null);

let pending: Promise<boolean> | null = null;

/**
 * Makes a call. If the server wants the user's identity confirmed first, waits for that and makes the call once more.
 * The refusal certainly had no effect, so the second call is the same one: same body, same idempotency key.
 */
export async function withStepUp<T>(makeCall: () => Promise<T>): Promise<T> {
  try {
    return await makeCall();
  } catch (error) {
    if (!hasReason(error, STEP_UP_REQUIRED)) throw error;
    if (!(await confirmation(error))) throw new ApiError(error.code, '', { reason: STEP_UP_CANCELLED });
    return makeCall();
  }
}

function confirmation(refusal: ApiError): Promise<boolean> {
  pending ??= new Promise((resolve) => {
    const settle = (confirmed: boolean) => {
      pending = null;
      stepUpStore.set(null);
      resolve(confirmed);
    };
    stepUpStore.set({ refusal, settle });
  });
  return pending;
}
