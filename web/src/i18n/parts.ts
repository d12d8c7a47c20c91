/** A language's pack of texts is delivered in parts, each a file of its own. */
export const PARTS = ['first', 'main', 'desk', 'placing', 'rest'] as const;

export type Part = (typeof PARTS)[number];

/** The sections and single texts of each part. `rest` has all others. */
const CONTENTS: Record<Exclude<Part, 'rest'>, readonly string[]> = {
  // A visitor's pages, the frame around every page, and the dialogs that any page can open.
  first: ['common', 'title', 'header', 'error', 'service', 'picker', 'not_found', 'auth', 'legal'],
  // The main pages, and what opens above them.
  main: [
    'ad_center',
    'account',
    'chart',
    'figure',
    'help',
    'plan',
    'product',
    'push',
    'start',
    'step_up',
    'upload',
    'wallet',
    'pay_password.none_action',
    'security.email.confirmed',
    'security.email.unconfirmed',
    'withdraw.service_start_up',
    'withdraw.step_done',
  ],
  // What only wide windows show. `i18n/desk-texts.ts` brings it.
  desk: ['desk'],
  // What a plan's page says of pace and placements. `i18n/placing-texts.ts` brings it.
  placing: ['placing'],
};

export function partOf(key: string): Part {
  const isIn = (part: keyof typeof CONTENTS) =>
    CONTENTS[part].some((name) => key === name || key.startsWith(`${name}.`));
  return PARTS.find((part) => part === 'rest' || isIn(part)) ?? 'rest';
}
