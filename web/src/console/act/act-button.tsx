import type { ReactNode } from 'react';
import { Button } from '@/ui/button';
import { Menu, type MenuEntry } from '../ui/menu';
import { type OpenDialog, openDialog } from './dialog-host';

/** An act behind a button or a menu: what opens its dialog, and the dialog. */
export type Offered = {
  id: string;
  label: string;
  tone?: 'danger';
  dialog: OpenDialog;
};

export function ActButton({ offered, quiet }: { offered: Offered; quiet?: boolean }) {
  return (
    <Button tone={quiet ? 'secondary' : 'primary'} onClick={() => openDialog(offered.dialog)}>
      {offered.label}
    </Button>
  );
}

type ActMenuProps = { label: string; offered: readonly Offered[]; children: ReactNode };

/** Several acts behind one button; nothing if the role may make none of them. */
export function ActMenu({ label, offered, children }: ActMenuProps) {
  if (offered.length === 0) return null;
  const entries: MenuEntry[] = offered.map(({ id, label: text, tone, dialog }) => ({
    id,
    label: text,
    tone,
    act: () => openDialog(dialog),
  }));
  return (
    <Menu label={label} entries={entries}>
      {children}
    </Menu>
  );
}
