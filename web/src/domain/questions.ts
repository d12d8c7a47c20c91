/** The id under which the operating rules are read on the page of the questions. */
export const RULES_ID = 'operating-rules';

export function questionPath(id: string): string {
  return `/ad-center/ques-detail?id=${encodeURIComponent(id)}`;
}
