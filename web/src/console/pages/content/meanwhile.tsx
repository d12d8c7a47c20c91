import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import type { Difference } from './differences';
import styles from './meanwhile.module.css';
import { merge } from './merge';
import type { SectionEdit } from './section-editor';
import type { Entry, SectionSpec } from './sections';
import { useChange } from './use-change';

type Props = {
  spec: SectionSpec;
  /** What somebody else has saved. */
  saved: readonly Entry[];
  edit: SectionEdit;
  onDecided: (entries: Entry[]) => void;
};

/** What somebody else changed in a section while it was edited, beside one's own; and which of the two is to stand. */
export function Meanwhile({ spec, saved, edit, onDecided }: Props) {
  const { t } = useTranslation('console');
  const describe = useChange();
  const changeOf = (difference: Difference) => describe(spec, difference);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { conflicts, taken, entries } = merge(spec, edit.base, edit.entries, saved);
  const textOf = (differences: readonly Difference[]) =>
    differences
      .map(changeOf)
      .map(({ after }) => String(after))
      .join(' · ');
  const choose = (id: string, isTheirs: boolean) => {
    const next = new Set(chosen);
    if (isTheirs) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <Panel title={t('content.meanwhile.title')}>
      <FormAlert>{t('content.meanwhile.text')}</FormAlert>
      {taken.length === 0 ? null : (
        <>
          <h3>{t('content.meanwhile.taken')}</h3>
          <PlainTable
            label={t('content.meanwhile.taken')}
            rows={taken.map(changeOf)}
            rowKey={({ what }, index) => `${what} ${index}`}
            columns={[
              { id: 'what', header: t('content.meanwhile.what'), cell: ({ what }) => what },
              { id: 'before', header: t('content.meanwhile.before'), cell: ({ before }) => before },
              { id: 'after', header: t('content.meanwhile.after'), cell: ({ after }) => after },
            ]}
          />
        </>
      )}
      {conflicts.length === 0 ? null : <h3>{t('content.meanwhile.conflicts')}</h3>}
      {conflicts.map(({ id, mine, theirs }) => (
        <fieldset key={id} className={styles.conflict}>
          <legend className={styles.legend}>{mine.map((one) => changeOf(one).what).join(' · ')}</legend>
          {([true, false] as const).map((isTheirs) => (
            <label key={String(isTheirs)} className={styles.option}>
              <input
                type="radio"
                name={`meanwhile ${id}`}
                checked={chosen.has(id) === isTheirs}
                onChange={() => choose(id, isTheirs)}
              />
              {isTheirs
                ? t('content.meanwhile.theirs', { text: textOf(theirs) })
                : t('content.meanwhile.mine', { text: textOf(mine) })}
            </label>
          ))}
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onDecided(entries(chosen))}>{t('content.meanwhile.go_on')}</Button>
      </div>
    </Panel>
  );
}
