import { useEffect, useState } from 'react';

type Found = Record<string, string>;

/**
 * Shows refusals at the form's fields once the sheet above has closed, because only then can a field take the focus.
 */
export function useLateRejection(
  isSheetOpen: boolean,
  reject: (found: Found) => void,
): (found: Found) => void {
  const [refused, setRefused] = useState<Found | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reject` changes on every render but does the same
  useEffect(() => {
    if (isSheetOpen || !refused) return;
    setRefused(null);
    reject(refused);
  }, [isSheetOpen, refused]);
  return setRefused;
}
