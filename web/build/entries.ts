/** The modules that decide which files the build produces and what the first load fetches. */

export const FIRST_SCRIPT = ['src/boot.ts'];

/** Fetched in parallel with the first script. */
export const PRELOADED = ['src/main.tsx'];

/** Most visits begin at the login, so what it needs is in the app's own file. */
export const FIRST_PAGE = [...PRELOADED, 'src/features/auth/pages/login.tsx'];

/** What only users have around a page. */
export const USER_FRAME = ['src/app/user-frame.tsx'];

/** The tab bar switches between these, and most visits of a user begin at the first. */
export const MAIN_PAGES = [
  'src/features/ad-center/pages/ad-center.tsx',
  'src/features/plan/pages/plans.tsx',
  'src/features/wallet/pages/wallet.tsx',
  'src/app/pages/account.tsx',
];
