import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from './button';
import { copyText } from './copy-text';

type Props = {
  text: string;
  label: string;
  /** Shows the label. */
  wide?: boolean;
};

/** Copies a text and confirms it. */
export function CopyButton({ text, label, wide = false }: Props) {
  const { t } = useTranslation();
  if (wide) {
    return (
      <Button tone="secondary" wide onClick={() => copyText(text, t)}>
        <Copy size={18} aria-hidden="true" />
        {label}
      </Button>
    );
  }
  return (
    <IconButton label={label} onClick={() => copyText(text, t)}>
      <Copy size={18} aria-hidden="true" />
    </IconButton>
  );
}
