import { Ellipsis } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import { ActMenu, type Offered } from './act-button';

/** The acts of a row behind three dots; nothing if there are none. */
export function RowMenu({ name, offered }: { name: string; offered: readonly Offered[] }) {
  const { t } = useTranslation('console');
  const label = t('list.actions_of', { name });
  return (
    <ActMenu label={label} offered={offered}>
      <IconButton label={label}>
        <Ellipsis size={18} aria-hidden="true" />
      </IconButton>
    </ActMenu>
  );
}
