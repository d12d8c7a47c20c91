import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button';
import { toast } from './toast';

/** Copies a text and says so. Without the clipboard of a secure page the older command does it. */
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
    // Refused: the older way may still work.
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  const focused = document.activeElement;
  // Inside an open dialog only what belongs to it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
