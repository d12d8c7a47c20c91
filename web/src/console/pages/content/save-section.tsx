import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { FormAlert } from '@/ui/field';
import type { Change } from '../../act/act';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { entryTitle, languageName } from './coverage';
import { type Difference, differencesOf, excerpts } from './differences';
import { requestOf } from './request';
import type { SectionEdit } from './section-editor';
import type { Entry, SectionSpec } from './sections';

type Props = {
  spec: SectionSpec;
  saved: readonly Entry[];
  edit: SectionEdit;
  onClose: () => void;
  onSaved: () => void;
};

/** Says what saving a section changes, and saves it. */
export function SaveSection({ spec, saved, edit, onClose, onSaved }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const name = t(`content.sections.${spec.name}`);
  const changeOf = useChange(spec);
  // The server knows no versions: the last one to save wins.
  const isStale = differencesOf(spec, edit.base, saved).length > 0;
  const differences = differencesOf(spec, saved, edit.entries);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/content',
        title: t('content.save.title', { name }),
        submit: t('content.save.submit'),
        wide: true,
        intro: isStale ? <FormAlert>{t('content.save.stale')}</FormAlert> : null,
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => distinct(differences.map(changeOf)),
        body: ({ reason }) => ({
          ...requestOf(spec.name, edit.entries),
          ...(reason === '' ? {} : { reason }),
        }),
        done: () => {
          onSaved();
          return {
            text: t('content.save.done', { name }),
            links: may('GET /admin/audit/list')
              ? [{ label: t('act.see_audit'), to: '/audit?action=notification.content_set' }]
              : [],
          };
        },
        touches: [consoleKeys.one('/admin/content')],
      }}
    />
  );
}

function useChange(spec: SectionSpec): (difference: Difference) => Change {
  const { t } = useTranslation('console');
  const titleOf = (entry: Entry) => entryTitle(spec, entry);
  const titles = (entries: readonly Entry[]) => entries.map(titleOf).join(' · ');
  const plainText = (field: string, value: string) => {
    if (value === '') return t('content.save.none');
    return field === 'type' ? t(value === '1' ? 'content.types.inside' : 'content.types.outside') : value;
  };
  return (difference) => {
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
function distinct(changes: readonly Change[]): Change[] {
  const seen = new Map<string, number>();
  return changes.map((change) => {
    const count = (seen.get(change.what) ?? 0) + 1;
    seen.set(change.what, count);
    return count === 1 ? change : { ...change, what: `${change.what} (${count})` };
  });
}
