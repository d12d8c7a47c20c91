import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isDay } from '@/lib/calendar';
import { Button } from '@/ui/button';
import { cx } from '@/ui/cx';
import { SEARCH_MARK } from '../frame/shortcuts';
import styles from './filter-bar.module.css';
import type { Filter, List, ListPath } from './list';
import type { Filters } from './use-filters';

/** A search is sent when nobody has typed for this long. */
const TYPING_MS = 250;

type Props<P extends ListPath> = { list: List<P>; filters: Filters<P> };

export function FilterBar<P extends ListPath>({ list, filters }: Props<P>) {
  const { t } = useTranslation('console');
  return (
    <search className={styles.bar} aria-label={t('list.filters')}>
      {list.filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={filters.values[filter.name] ?? ''}
          onChange={(value) => filters.set(filter.name, value)}
        />
      ))}
      {filters.isFiltered ? (
        <Button tone="quiet" onClick={filters.clear}>
          {t('list.clear')}
        </Button>
      ) : null}
    </search>
  );
}

type FieldProps<P extends ListPath> = {
  filter: Filter<P>;
  value: string;
  onChange: (value: string) => void;
};

function FilterField<P extends ListPath>({ filter, value, onChange }: FieldProps<P>) {
  const { t } = useTranslation('console');
  const id = useId();
  return (
    <div className={cx(styles.field, filter.kind === 'search' && styles.search)}>
      <label className={styles.label} htmlFor={id}>
        {t(filter.label)}
      </label>
      {filter.kind === 'choice' ? (
        <select
          id={id}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{t('list.any')}</option>
          {filter.options.map((option) => (
            <option key={option.value} value={option.value}>
              {t(option.label)}
            </option>
          ))}
        </select>
      ) : filter.kind === 'month' ? (
        <MonthFilter id={id} value={value} onChange={onChange} />
      ) : (
        <TypedFilter id={id} value={value} onChange={onChange} isSearch={filter.kind === 'search'} />
      )}
    </div>
  );
}

/** Browsers without a picker of months take it as `2026-11`. */
function MonthFilter({ id, value, onChange }: Omit<TypedProps, 'isSearch'>) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      id={id}
      className={styles.input}
      type="month"
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        // What is half typed is no month yet.
        if (event.target.value === '' || isDay(`${event.target.value}-01`)) onChange(event.target.value);
      }}
    />
  );
}

type TypedProps = { id: string; value: string; onChange: (value: string) => void; isSearch: boolean };

/** Its own text while somebody types, then the address's. */
function TypedFilter({ id, value, onChange, isSearch }: TypedProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <input
      id={id}
      className={styles.input}
      type="search"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      {...(isSearch ? { [SEARCH_MARK]: '' } : {})}
    />
  );
}
