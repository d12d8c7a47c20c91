import { get, getFile } from '@/lib/api/call';

/** The proof that the chain is in a checkpoint at a transaction or shortly after it, and the key of checkpoints. */
export async function loadProof(sequence: number) {
  const [proof, key] = await Promise.all([
    get('/transaction_flow/proof', { sequence }),
    getFile('/checkpoint/key'),
  ]);
  return { proof, key };
}
