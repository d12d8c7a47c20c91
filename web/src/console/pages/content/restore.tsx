import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { Change } from '../../act/act';
import { ActDialog } from '../../act/act-dialog';
import { ManyInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { PlainTable } from '../../ui/plain-table';
import { differencesOf } from './differences';
import { partOf } from './parts';
import { type Content, entriesOf, SECTIONS, type SectionSpec } from './sections';
import { distinct, useChange } from './use-change';
import { useContent } from './use-content';

/** What of the texts that stand now becomes what a version has, by section. */
function differing(now: Content, then: Content): SectionSpec[] {
  return SECTIONS.filter(
    (spec) => differencesOf(spec, entriesOf(spec.name, now), entriesOf(spec.name, then)).length > 0,
  );
}

/** The changes of sections, each with the name of its section. */
function useChanges(): (specs: readonly SectionSpec[], now: Content, then: Content) => Change[] {
  const { t } = useTranslation('console');
  const changeOf = useChange();
  return (specs, now, then) =>
    distinct(
      specs.flatMap((spec) =>
        differencesOf(spec, entriesOf(spec.name, now), entriesOf(spec.name, then))
          .map((difference) => changeOf(spec, difference))
          .map((change) => ({
            ...change,
            what: t('content.versions.what', {
              section: t(`content.sections.${spec.name}`),
              what: change.what,
            }),
          })),
      ),
    );
}

type DifferencesProps = { now: Content; content: Content };

/** What restoring a version would change. */
export function VersionDifferences({ now, content }: DifferencesProps) {
  const { t } = useTranslation('console');
  const changesOf = useChanges();
  const changes = changesOf(differing(now, content), now, content);
  if (changes.length === 0) return <p>{t('content.versions.same')}</p>;
  return (
    <>
      <p>{t('content.versions.now_note')}</p>
      <PlainTable
        label={t('content.versions.now')}
        rows={changes}
        rowKey={({ what }) => what}
        columns={[
          { id: 'what', header: t('content.versions.section'), cell: ({ what }) => what },
          {
            id: 'now',
            header: t('content.versions.present'),
            cell: ({ before }) => before ?? t('content.save.none'),
          },
          { id: 'then', header: t('content.versions.then'), cell: ({ after }) => after },
        ]}
      />
    </>
  );
}

type Props = { content: Content; onClose: () => void };

/** Makes sections what they were in a version. */
export function Restore({ content, onClose }: Props) {
  const { t } = useTranslation('console');
  const changesOf = useChanges();
  // Read again when somebody else has saved: the dialog then shows what restoring changes now.
  const now = useContent().data;
  if (!now) return null;
  const { version } = content;
  const options = differing(now, content).map(({ name }) => ({
    value: partOf(name),
    label: t(`content.sections.${name}`),
  }));
  const specsOf = (parts: readonly string[]) => SECTIONS.filter(({ name }) => parts.includes(partOf(name)));
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/content/restore',
        title: t('content.versions.restore_title', { version }),
        submit: t('content.versions.restore'),
        wide: true,
        intro: <p>{t(options.length === 0 ? 'content.versions.same' : 'content.versions.restore_intro')}</p>,
        schema: z.object({
          parts: z.array(z.string()).min(1, 'required'),
          reason: text(REASON_LIMIT),
        }),
        initial: { parts: options.map(({ value }) => value), reason: '' },
        fields: (
          <>
            <ManyInput name="parts" label={t('content.versions.parts')} options={options} />
            <ReasonInput />
          </>
        ),
        changes: ({ parts }) => changesOf(specsOf(parts), now, content),
        body: ({ parts, reason }) => ({ version, parts, current: now.version, reason }),
        done: () => ({
          text: t('content.versions.restore_done', { version }),
          links: [{ label: t('content.versions.back'), to: '/content/versions' }],
        }),
        touches: [consoleKeys.one('/admin/content'), consoleKeys.list('/admin/content/versions')],
      }}
    />
  );
}
