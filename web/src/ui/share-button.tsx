import { Share2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import { copyText } from './copy-text';

type Props = { label: string; title: string; text: string };

/** Hands a text to the system's share sheet. Where there is none, or it fails, the text is copied. */
export function ShareButton({ label, title, text }: Props) {
  const { t } = useTranslation();
  const share = async () => {
    try {
      await navigator.share({ title, text });
    } catch (error) {
      // The user closed the share sheet.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      await copyText(text, t);
    }
  };
  return (
    <Button tone="secondary" wide onClick={share}>
      <Share2 size={20} aria-hidden="true" />
      {label}
    </Button>
  );
}
