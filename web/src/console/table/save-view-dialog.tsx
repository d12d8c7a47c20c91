import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/ui/button';
import { TextField } from '@/ui/field';
import { useStaff } from '../session/use-staff';
import { Dialog, DialogActions } from '../ui/dialog';
import { dropView, type View } from './kept';
import styles from './save-view-dialog.module.css';

const NAME_LIMIT = 60;

type Props = {
  path: string;
  views: readonly View[];
  onViews: (views: readonly View[]) => void;
  onSave: (name: string) => void;
  onClose: () => void;
};

/** Names the list as it is filtered now, and lets views go. */
export function SaveViewDialog({ path, views, onViews, onSave, onClose }: Props) {
  const { t } = useTranslation('console');
  const { id } = useStaff();
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(name.trim());
    onClose();
  };
  return (
    <Dialog title={t('list.views')} onClose={onClose}>
      <form onSubmit={submit} className={styles.form}>
        <TextField
          label={t('list.view_name')}
          value={name}
          maxLength={NAME_LIMIT}
          onChange={(event) => setName(event.target.value)}
          autoFocus
        />
        {views.length === 0 ? (
          <p>{t('list.no_views')}</p>
        ) : (
          <ul>
            {views.map((view) => (
              <li key={view.name} className={styles.view}>
                {view.name}
                <IconButton
                  label={t('list.delete_view', { name: view.name })}
                  onClick={() => onViews(dropView(id, path, view.name))}
                >
                  <Trash2 size={16} aria-hidden="true" />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            {t('act.cancel')}
          </Button>
          <Button type="submit" disabled={name.trim() === ''}>
            {t('list.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
