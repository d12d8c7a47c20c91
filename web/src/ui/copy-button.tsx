import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { toast } from './toast';

/** Copies a text and confirms it. Falls back to `execCommand` without the async clipboard. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  const onClick = async () => {
    const copied = await copyText(text);
    toast(t(copied ? 'common.copied' : 'common.copy_failed'), copied ? 'success' : 'fail');
  };
  return (
    <IconButton label={label} onClick={onClick}>
      <Copy size={18} aria-hidden="true" />
    </IconButton>
  );
}

async function copyText(text: string): Promise<boolean> {
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
