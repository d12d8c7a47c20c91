import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Verdict, verifyStatement } from '../statement';

export type Verified = { source: string; verdict: Verdict };

type Job = { source: string; load: () => Promise<string> };

/** Loads and verifies one statement at a time, in slices. */
export function useVerification() {
  const [done, setDone] = useState(0);
  const running = useRef(false);
  const mutation = useMutation({
    mutationFn: async ({ source, load }: Job): Promise<Verified> => ({
      source,
      verdict: await verifyStatement(await load(), setDone),
    }),
    meta: { inline: true },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    done,
    isRunning: mutation.isPending,
    result: mutation.data ?? null,
    error: mutation.error,
    run: (source: string, load: Job['load']) => {
      if (running.current) return;
      running.current = true;
      setDone(0);
      mutation.mutate({ source, load });
    },
  };
}
