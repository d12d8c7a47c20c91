import { useEffect, useState } from 'react';

type Found = Record<string, string>;

/**
 * Refusals that belong to a field of the form below an open sheet: said once the sheet is gone, for only then can the
 * field take the focus.
 */
export function useLateRejection(
  isSheetOpen: boolean,
  reject: (found: Found) => void,
): (found: Found) => void {
  const [refused, setRefused] = useState<Found | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reject` is another one on every render and does the same
  useEffect(() => {
    if (isSheetOpen || !refused) return;
    setRefused(null);
    reject(refused);
  }, [isSheetOpen, refused]);
  return setRefused;
}
