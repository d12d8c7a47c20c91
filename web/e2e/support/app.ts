import { expect, type Locator, type Page } from '@playwright/test';

/** Opens a page as the user whose token it is. */
export async function openAs(page: Page, token: string, path: string): Promise<void> {
  await page.addInitScript((value) => {
    localStorage.setItem('adfolio.token', value);
    localStorage.setItem('adfolio.entry', 'register');
  }, token);
  await page.goto(`/#${path}`);
  await settled(page);
}

/** Waits until all pending calls are answered and drawn. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('main')).not.toBeEmpty();
  await expect(page.getByRole('status', { name: 'Loading…' })).toHaveCount(0);
  await expect(page.locator('[class*="skeleton"]')).toHaveCount(0);
}

/**
 * Taps what a message may cover by now: when a session ends, its event stream ends, too, and the app may say so before
 * anybody taps. An ordinary click would wait until the message is gone.
 */
export async function tapThoughCovered(target: Locator): Promise<void> {
  await target.dispatchEvent('click');
}

/** An amount as the app shows it in English. */
export function shown(amount: string): string {
  return new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(amount as `${number}`);
}

/** A result as the app shows it, with its sign. */
export function shownSigned(amount: string): string {
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: 2, signDisplay: 'exceptZero' });
  return format.format(amount as `${number}`).replace('-', '−');
}
