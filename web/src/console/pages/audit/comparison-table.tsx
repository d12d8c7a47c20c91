import { useTranslation } from 'react-i18next';
import { Badge, type Tone } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { compare, type FieldChange } from './comparison';
import styles from './comparison-table.module.css';

const TONES = { added: 'good', changed: 'info', removed: 'bad' } as const satisfies Record<string, Tone>;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

type Props = { before: object | null; after: object | null };

/** What an act changed, field by field. What stayed as it was can be unfolded. */
export function ComparisonTable({ before, after }: Props) {
  const { t } = useTranslation('console');
  const fields = compare(before, after);
  const changed = fields.filter(({ kind }) => kind !== 'unchanged');
  const unchanged = fields.filter(({ kind }) => kind === 'unchanged');
  if (fields.length === 0) return <p>{t('audit.nothing')}</p>;
  return (
    <>
      {changed.length === 0 ? null : <Fields label={t('audit.what_changed')} fields={changed} />}
      {unchanged.length === 0 ? null : (
        <details open={changed.length === 0}>
          <summary className={styles.summary}>{t('audit.unchanged', { count: unchanged.length })}</summary>
          <Fields label={t('audit.unchanged', { count: unchanged.length })} fields={unchanged} />
        </details>
      )}
    </>
  );
}

function Fields({ label, fields }: { label: string; fields: readonly FieldChange[] }) {
  const { t } = useTranslation('console');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reachable by keyboard
    <section className={styles.scroller} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('audit.field')}</th>
            <th scope="col">{t('audit.before')}</th>
            <th scope="col">{t('audit.after')}</th>
            <th scope="col">{t('audit.kind')}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, kind, before, after }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>
                <Value value={before} />
              </td>
              <td className={kind === 'unchanged' ? undefined : styles.after}>
                <Value value={after} />
              </td>
              <td>{kind === 'unchanged' ? null : <Kind kind={kind} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Kind({ kind }: { kind: keyof typeof TONES }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[kind]}>{t(`audit.kinds.${kind}`)}</Badge>;
}

function Value({ value }: { value: unknown }) {
  const { t } = useTranslation('console');
  if (value === undefined) return t('list.none');
  if (value === null) return t('audit.no_value');
  if (value === '') return t('audit.empty_text');
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no');
  const text = String(value);
  return INSTANT.test(text) ? <Moment at={text} /> : text;
}
