/** A creditor reference as ISO 11649 has it on paper; it is copied without the blanks. */
export function groupsOfFour(reference: string): string {
  return reference.match(/.{1,4}/g)?.join(' ') ?? '';
}
