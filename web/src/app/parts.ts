/** What the shell shows only on demand and the first page does without. */
export const parts = {
  languageSheet: () => import('./language-sheet'),
  logoutDialog: () => import('./logout-dialog'),
  blockingDialog: () => import('./blocking-dialog'),
  serviceDialog: () => import('@/domain/service/service-dialog'),
} as const;
