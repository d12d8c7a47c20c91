import type { TFunction } from 'i18next';
import { toast } from './toast';

/** Copies a text and says whether it worked. */
export async function copyText(text: string, t: TFunction): Promise<void> {
  const copied = await isCopied(text);
  toast(t(copied ? 'common.copied' : 'common.copy_failed'), copied ? 'success' : 'fail');
}

/** Falls back to `execCommand` without the async clipboard. */
async function isCopied(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Denied. The fallback may still work.
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  const focused = document.activeElement;
  // A modal dialog makes everything outside it inert.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
