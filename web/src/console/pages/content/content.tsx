import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { LinkButton } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { useKept } from '../../session/use-kept';
import { useMay } from '../../session/use-staff';
import { PageHead } from '../../ui/page-head';
import { differencesOf } from './differences';
import { type SectionEdit, SectionEditor } from './section-editor';
import { SectionSummary } from './section-summary';
import { entriesOf, SECTIONS, type SectionName, type SectionSpec } from './sections';
import { useContent } from './use-content';

type Edits = Partial<Record<SectionName, SectionEdit>>;

/** What users read in the app, by section. What is edited stays in this tab until it is saved or undone. */
export default function ContentPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const [params, setParams] = useSearchParams();
  const [kept, keep] = useKept<Edits>('content');
  const edits = kept ?? {};
  const content = useContent();
  const spec = SECTIONS.find(({ name }) => name === params.get('section'));
  if (content.isPending) {
    return (
      <>
        <PageHead title={t('content.title')} />
        <SkeletonCards count={4} />
      </>
    );
  }
  if (!content.data) {
    return (
      <>
        <PageHead title={t('content.title')} />
        <ErrorState error={content.error} onRetry={() => void content.refetch()} />
      </>
    );
  }
  if (spec) {
    const saved = entriesOf(spec.name, content.data);
    return (
      <SectionEditor
        key={spec.name}
        spec={spec}
        saved={saved}
        version={content.data.version}
        edit={edits[spec.name] ?? { base: saved, entries: saved }}
        onEdit={(edit) => keep(withEdit(edits, spec.name, edit))}
        onBack={() => setParams({})}
      />
    );
  }
  return (
    <>
      <PageHead title={t('content.title')}>
        {may('GET /admin/content/versions') ? (
          <LinkButton tone="secondary" to="/content/versions">
            {t('content.versions.title')}
          </LinkButton>
        ) : null}
      </PageHead>
      <p>{t('content.intro')}</p>
      {SECTIONS.map((section) => (
        <SectionSummary
          key={section.name}
          spec={section}
          entries={entriesOf(section.name, content.data)}
          isEdited={isChanged(section, edits[section.name])}
        />
      ))}
    </>
  );
}

function isChanged(spec: SectionSpec, edit: SectionEdit | undefined): boolean {
  return edit !== undefined && differencesOf(spec, edit.base, edit.entries).length > 0;
}

/** The edits with one more or one less; null once there is none. */
function withEdit(edits: Edits, name: SectionName, edit: SectionEdit | null): Edits | null {
  const { [name]: _before, ...others } = edits;
  const next = edit === null ? others : { ...others, [name]: edit };
  return Object.keys(next).length === 0 ? null : next;
}
