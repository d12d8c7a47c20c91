import { useTranslation } from 'react-i18next';
import type { Change } from '../../act/act';
import { entryTitle, languageName } from './coverage';
import { type Difference, excerpts } from './differences';
import type { Entry, SectionSpec } from './sections';

/** What a difference changes, in words. */
export function useChange(): (spec: SectionSpec, difference: Difference) => Change {
  const { t } = useTranslation('console');
  const plainText = (field: string, value: string) => {
    if (value === '') return t('content.save.none');
    return field === 'type' ? t(value === '1' ? 'content.types.inside' : 'content.types.outside') : value;
  };
  return (spec, difference) => {
    const titleOf = (entry: Entry) => entryTitle(spec, entry);
    const titles = (entries: readonly Entry[]) => entries.map(titleOf).join(' · ');
    switch (difference.kind) {
      case 'added':
        return { what: t('content.save.added'), before: null, after: titleOf(difference.entry) };
      case 'removed':
        return {
          what: t('content.save.removed'),
          before: titleOf(difference.entry),
          after: t('content.save.none'),
        };
      case 'order':
        return {
          what: t('content.save.order'),
          before: titles(difference.before),
          after: titles(difference.after),
        };
      case 'plain':
        return {
          what: t('content.save.part', {
            entry: titleOf(difference.entry),
            field: t(`content.fields.${difference.field}`),
          }),
          before: plainText(difference.field, difference.before),
          after: plainText(difference.field, difference.after),
        };
      default: {
        const field = t(`content.fields.${difference.field}`);
        const language = languageName(difference.code);
        const [before, after] = excerpts(difference.before ?? '', difference.after ?? '');
        return {
          what:
            spec.most === null
              ? t('content.save.text_language', { field, language })
              : t('content.save.part_language', { entry: titleOf(difference.entry), field, language }),
          before: difference.before === null ? t('content.save.none') : before,
          after: difference.after === null ? t('content.save.none') : after,
        };
      }
    }
  };
}

/** Entries may have the same name; a number tells their changes apart. */
export function distinct(changes: readonly Change[]): Change[] {
  const seen = new Map<string, number>();
  return changes.map((change) => {
    const count = (seen.get(change.what) ?? 0) + 1;
    seen.set(change.what, count);
    return count === 1 ? change : { ...change, what: `${change.what} (${count})` };
  });
}
