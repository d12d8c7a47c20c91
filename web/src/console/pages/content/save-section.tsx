import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { differencesOf } from './differences';
import { requestOf } from './request';
import type { SectionEdit } from './section-editor';
import type { Entry, SectionSpec } from './sections';
import { distinct, useChange } from './use-change';

type Props = {
  spec: SectionSpec;
  saved: readonly Entry[];
  /** The version of the texts in which the section is as `saved` has it. */
  version: number;
  edit: SectionEdit;
  onClose: () => void;
  onSaved: () => void;
};

/** Says what saving a section changes, and saves it. */
export function SaveSection({ spec, saved, version, edit, onClose, onSaved }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const name = t(`content.sections.${spec.name}`);
  const changeOf = useChange();
  const differences = differencesOf(spec, saved, edit.entries);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/content',
        title: t('content.save.title', { name }),
        submit: t('content.save.submit'),
        wide: true,
        schema: z.object({ reason: optionalText(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput optional />,
        changes: () => distinct(differences.map((difference) => changeOf(spec, difference))),
        body: ({ reason }) => ({
          version,
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
        touches: [consoleKeys.one('/admin/content'), consoleKeys.list('/admin/content/versions')],
      }}
    />
  );
}
