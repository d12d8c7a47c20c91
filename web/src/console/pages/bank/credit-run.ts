import { ApiError, Code, hasReason } from '@/lib/api/error';
import { SECOND_FACTOR_CANCELLED } from '../../api/second-factor';

/** Lines of one run at most, so that somebody looks at what came of it. */
export const MOST_LINES = 500;

/** How often a call is made anew that the server was too busy for, and how long each wait is at most. */
const TRIES = 4;
const LONGEST_WAIT_SECONDS = 60;

const APPROVAL_REQUIRED = 'APPROVAL_REQUIRED';
const SECOND_FACTOR_REQUIRED = 'SECOND_FACTOR_REQUIRED';

/** What became of a line. `unknown`: the answer did not arrive. */
export type LineOutcome = 'credited' | 'waits' | 'refused' | 'unknown';

export type Done<Line> = { line: Line; outcome: LineOutcome; error: Error | null };

type Run<Line> = {
  credit: (line: Line) => Promise<unknown>;
  onDone: (done: Done<Line>) => void;
  /** Asked before each call. The call that is on its way is waited for: its outcome shall be known. */
  isStopped: () => boolean;
  wait: (seconds: number) => Promise<void>;
};

/**
 * Credits lines one after another, each by a call of its own. What happens to one line says nothing about the next,
 * except where no call can succeed: then the run ends. Returns whether it came to the end of the lines.
 */
export async function creditAll<Line>(lines: readonly Line[], run: Run<Line>): Promise<boolean> {
  for (const line of lines.slice(0, MOST_LINES)) {
    if (run.isStopped()) return false;
    const error = await failureOf(line, run);
    const outcome = outcomeOf(error);
    run.onDone({ line, outcome, error: outcome === 'waits' ? null : error });
    if (endsRun(error)) return false;
  }
  return true;
}

async function failureOf<Line>(line: Line, { credit, isStopped, wait }: Run<Line>): Promise<Error | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await credit(line);
      return null;
    } catch (failure) {
      const error = failure instanceof Error ? failure : new Error(String(failure));
      const seconds = waitOf(error);
      if (seconds === null || attempt === TRIES) return error;
      await wait(seconds);
      if (isStopped()) return error;
    }
  }
}

/** Seconds after which a call that was one too many can be made again; null for any other failure. */
function waitOf(error: Error): number | null {
  if (!(error instanceof ApiError) || error.code !== Code.tooMany) return null;
  return Math.min(error.retryAfterSeconds ?? 1, LONGEST_WAIT_SECONDS);
}

function outcomeOf(error: Error | null): LineOutcome {
  if (error === null) return 'credited';
  if (hasReason(error, APPROVAL_REQUIRED)) return 'waits';
  const isCertain = error instanceof ApiError && (error.refused || error.code === Code.tooMany);
  return isCertain ? 'refused' : 'unknown';
}

/** Whether the next call would fail as this one did. */
function endsRun(error: Error | null): boolean {
  if (error === null) return false;
  if (outcomeOf(error) === 'unknown') return true;
  const codes: readonly number[] = [Code.notAuthenticated, Code.sessionExpired, Code.tooMany];
  return (
    hasReason(error, SECOND_FACTOR_CANCELLED) ||
    hasReason(error, SECOND_FACTOR_REQUIRED) ||
    (error instanceof ApiError && codes.includes(error.code))
  );
}
