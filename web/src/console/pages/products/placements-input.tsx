import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { SkeletonCards } from '@/ui/states';
import styles from './placements-input.module.css';
import { usePlacements } from './use-placements';

/** The placements that a product's plans may use. A chosen one stays, also if it cannot be read. */
export function PlacementsInput() {
  const { t } = useTranslation('console');
  const { field, fieldState } = useController({ name: 'placements' });
  const { placements, nameOf } = usePlacements();
  const chosen = (field.value ?? []) as string[];
  const known = placements.data ?? [];
  const others = chosen.filter((id) => !known.some((placement) => placement.id === id));
  const options = [...others.map((id) => ({ id, name: nameOf(id) })), ...known];
  const toggle = (id: string) =>
    field.onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className={styles.field}>
      <legend className={styles.legend}>{t('products.placements')}</legend>
      {placements.isPending ? <SkeletonCards count={1} height="3rem" /> : null}
      {placements.isError ? (
        <p role="alert">
          {t('products.placements_failed')}{' '}
          <Button tone="quiet" onClick={() => void placements.refetch()}>
            {t('products.retry')}
          </Button>
        </p>
      ) : null}
      {placements.isSuccess && options.length === 0 ? (
        <p className={styles.hint}>{t('products.no_placements')}</p>
      ) : null}
      {options.length > 0 ? (
        <div className={styles.box}>
          {options.map(({ id, name }) => (
            <label key={id} className={styles.option}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              {name}
            </label>
          ))}
        </div>
      ) : null}
      <p className={styles.hint}>{t('products.placements_hint')}</p>
      {fieldState.error?.type === 'server' ? (
        <p role="alert" className={styles.error}>
          {fieldState.error.message}
        </p>
      ) : null}
    </fieldset>
  );
}
