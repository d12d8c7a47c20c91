import { Columns3 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../button';
import styles from './column-menu.module.css';

type Props = {
  columns: readonly { key: string; label: string }[];
  shown: ReadonlySet<string>;
  onToggle: (key: string) => void;
};

/** Chooses the columns of a table, in a row of their own below the other actions. */
export function ColumnMenu({ columns, shown, onToggle }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button tone="secondary" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <Columns3 size={18} aria-hidden="true" />
        {t('desk.columns')}
      </Button>
      <fieldset id={id} className={styles.list} hidden={!isOpen}>
        <legend className="visually-hidden">{t('desk.columns')}</legend>
        {columns.map(({ key, label }) => (
          <label key={key}>
            <input type="checkbox" checked={shown.has(key)} onChange={() => onToggle(key)} />
            {label}
          </label>
        ))}
      </fieldset>
    </>
  );
}
