import type { Page } from '@playwright/test';
import type { components } from '../../src/lib/api/schema';
import type { Api } from './api';
import { goTo } from './console';

type Schemas = components['schemas'];

/** A payment as a line of an account statement. */
export type Payment = { amount: string; text: string; reference: string };

/** The platform's currency, in which statements are. */
export async function currencyOf(api: Api): Promise<string> {
  return (await api.get<Schemas['BasicConfig']>('/basic_config')).currency;
}

/** An account statement as CSV with the fields' own names, of today. */
export function statementOf(currency: string, payments: readonly Payment[]): string {
  const day = new Date().toISOString().slice(0, 10);
  const rows = payments.map(
    ({ amount, text, reference }) => `${day},${amount},${currency},${text},Ada Lovelace,${reference}`,
  );
  return ['date,amount,currency,text,party,bank_reference', ...rows, ''].join('\n');
}

/** A file for an input of files. */
export function csvFile(name: string, content: string) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(content) };
}

/** Goes to the page of uploads anew and sends a file. */
export async function upload(page: Page, name: string, content: string): Promise<void> {
  await goTo(page, '/bank');
  await page.getByRole('link', { name: 'Upload statement' }).click();
  await page.getByLabel('Statement file').setInputFiles(csvFile(name, content));
  await page.getByLabel('Reason').fill('Statement of today');
  await page.getByRole('button', { name: 'Upload statement' }).click();
}
