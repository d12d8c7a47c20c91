import { get, getFile } from '@/lib/api/call';

/** The hashes by which the log of one size begins with all of the log of an earlier one. */
export async function loadConsistency(first: number, second: number): Promise<string[]> {
  return (await get('/checkpoint/consistency', { first, second })).path;
}

/** The proof that the chain is in a checkpoint at a transaction or shortly after it, and the key of checkpoints. */
export async function loadProof(sequence: number) {
  const [proof, key] = await Promise.all([
    get('/transaction_flow/proof', { sequence }),
    getFile('/checkpoint/key'),
  ]);
  return { proof, key };
}
