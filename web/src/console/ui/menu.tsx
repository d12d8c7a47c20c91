import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Pressable } from 'react-aria-components';
import { cx } from '@/ui/cx';
import styles from './menu.module.css';

export type MenuEntry = {
  id: string;
  label: string;
  act: () => void;
  tone?: 'danger' | undefined;
  /** Present for an entry that is switched on and off. */
  isChosen?: boolean | undefined;
};

type Props = {
  /** The accessible name of the menu. */
  label: string;
  /** The button that opens it. */
  children: ReactNode;
  entries: readonly MenuEntry[];
};

export function Menu({ label, children, entries }: Props) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const chosen = entries.filter(({ isChosen }) => isChosen).map(({ id }) => id);
  const isChoice = entries.some(({ isChosen }) => isChosen !== undefined);
  return (
    <MenuTrigger>
      <Pressable>{children as never}</Pressable>
      <Popover className={styles.popover ?? ''} placement="bottom end">
        <AriaMenu
          aria-label={label}
          className={styles.menu ?? ''}
          onAction={(id) => byId.get(String(id))?.act()}
          {...(isChoice ? { selectionMode: 'multiple' as const, selectedKeys: chosen } : {})}
        >
          {entries.map(({ id, label: text, tone, isChosen }) => (
            <MenuItem key={id} id={id} textValue={text} className={cx(styles.item, tone && styles[tone])}>
              {isChosen === undefined ? null : <span aria-hidden="true">{isChosen ? '☑' : '☐'}</span>}
              {text}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
