import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '@/lib/api/error';
import type { Publication } from '../publication';
import { type ChainEnd, type Verdict, verifyStatement } from '../statement';

export type Verified = { source: string; verdict: Verdict; publication: Publication | null };

type Job = { source: string; load: () => Promise<string> };

/** Loads and verifies one statement at a time, in slices. */
export function useVerification() {
  const [done, setDone] = useState(0);
  const running = useRef(false);
  const mutation = useMutation({
    mutationFn: async ({ source, load }: Job): Promise<Verified> => {
      const verdict = await verifyStatement(await load(), setDone);
      const publication = verdict.ok && verdict.last ? await publicationOf(verdict.last) : null;
      return { source, verdict, publication };
    },
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

/** What was published of a chain. Null where that cannot be learned: the chain itself is checked without it. */
async function publicationOf(end: ChainEnd): Promise<Publication | null> {
  try {
    const [{ comparePublication }, { keepCheckpoint, keptCheckpoint }, { loadConsistency, loadProof }] =
      await Promise.all([import('../publication'), import('../kept-checkpoint'), import('../api/proof')]);
    const kept = keptCheckpoint();
    const { proof, key } = await loadProof(end.sequence);
    const publication = await comparePublication(end, proof, key);
    if (publication?.state !== 'published') return publication;
    const isContinued = await keepCheckpoint(kept, publication.checkpoint, loadConsistency);
    return isContinued ? publication : { state: 'rewritten' };
  } catch (error) {
    return error instanceof ApiError && error.field === 'sequence' ? { state: 'waiting' } : null;
  }
}
