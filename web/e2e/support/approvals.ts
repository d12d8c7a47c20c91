import type { Locator, Page } from '@playwright/test';
import { goTo } from './console';

/** Decides a request about this user under Approvals; returns the dialog, which a refusal leaves open. */
export async function decideApproval(
  page: Page,
  act: 'Approve' | 'Reject',
  { userId, request }: { userId: string; request: string },
): Promise<Locator> {
  await goTo(page, '/approvals');
  // The page may have been open since before the request.
  await page.getByRole('button', { name: 'Refresh' }).click();
  const row = page.getByRole('row').filter({ hasText: userId }).filter({ hasText: request });
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: act }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Seen on the bank statement');
  await dialog.getByRole('button', { name: act }).click();
  return dialog;
}
