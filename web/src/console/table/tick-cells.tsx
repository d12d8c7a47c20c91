// biome-ignore-all lint/a11y/useSemanticElements: cells of a table whose rows the virtualizer places
// biome-ignore-all lint/a11y/useFocusableInteractive: as in a table element, what a cell has is focusable
import { useTranslation } from 'react-i18next';
import styles from './tick-cells.module.css';
import type { TickState } from './ticks';
import type { TickColumn } from './use-ticks';

type Props = {
  /** Null for a row without a box. */
  state: TickState | null;
  /** What names the row. */
  name: string;
  onTick: () => void;
};

/** The box of a row. */
export function TickCell({ state, name, onTick }: Props) {
  const { t } = useTranslation('console');
  return (
    <div role="cell" className={styles.cell}>
      {state === null ? null : (
        <label className={styles.box}>
          <input
            type="checkbox"
            checked={state === 'on'}
            disabled={state === 'shut'}
            onChange={onTick}
            aria-label={t('list.tick', { name })}
          />
        </label>
      )}
    </div>
  );
}

/** One box for all rows that are there. */
export function TickAll<Row>({ ticks: { all, toggleAll } }: { ticks: TickColumn<Row> }) {
  const { t } = useTranslation('console');
  return (
    <div role="columnheader" className={styles.cell}>
      {all === null ? (
        <span className="visually-hidden">{t('list.tick_all')}</span>
      ) : (
        <label className={styles.box}>
          <input
            type="checkbox"
            checked={all === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = all === 'some';
            }}
            onChange={toggleAll}
            aria-label={t('list.tick_all')}
          />
        </label>
      )}
    </div>
  );
}
