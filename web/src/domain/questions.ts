/** The id of the operating rules on the questions page. */
export const RULES_ID = 'operating-rules';

export function questionPath(id: string): string {
  return `/ad-center/ques-detail?id=${encodeURIComponent(id)}`;
}
