/** Parts of the shell that load on demand and not with the first page. */
export const parts = {
  userFrame: () => import('./user-frame'),
  pullToRefresh: () => import('@/ui/pull-to-refresh'),
  languageSheet: () => import('./language-sheet'),
  logoutDialog: () => import('./logout-dialog'),
  blockingDialog: () => import('./blocking-dialog'),
  stepUpSheet: () => import('@/domain/step-up/step-up-sheet'),
  serviceDialog: () => import('@/domain/service/service-dialog'),
} as const;
