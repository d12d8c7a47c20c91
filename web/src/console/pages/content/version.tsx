import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import type { LanguageCode } from '@/i18n/languages';
import { LANGUAGES } from '@/i18n/languages';
import { LinkButton } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { ActButton } from '../../act/act-button';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { PageHead } from '../../ui/page-head';
import { Panel } from '../../ui/panel';
import { StaffName } from '../../ui/staff-name';
import { languageName } from './coverage';
import { Parts } from './parts';
import { Restore, VersionDifferences } from './restore';
import { SectionText } from './section-text';
import { type Content, entriesOf, SECTIONS } from './sections';
import { useContent } from './use-content';

const PANEL = 'version-language';

/** All texts as a version left them, and what restoring it would change. */
export default function VersionPage() {
  const { t } = useTranslation('console');
  const { version = '' } = useParams();
  const may = useMay();
  const found = useQuery({
    queryKey: consoleKeys.one('/admin/content/version', version),
    queryFn: ({ signal }) => staffGet('/admin/content/version', { version: Number(version) }, { signal }),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const now = useContent();
  if (found.isPending || now.isPending) return <SkeletonCards />;
  if (found.isError || now.isError)
    return (
      <ErrorState
        error={found.error ?? now.error}
        onRetry={() => void Promise.all([found.refetch(), now.refetch()])}
      />
    );
  const { change, content } = found.data;
  return (
    <>
      <PageHead title={t('content.versions.number_of', { version })}>
        {may('POST /admin/content/restore') ? (
          <ActButton
            offered={{
              id: 'restore',
              label: t('content.versions.restore'),
              dialog: (close) => <Restore content={content} onClose={close} />,
            }}
          />
        ) : null}
        <LinkButton tone="secondary" to="/content/versions">
          {t('content.versions.back')}
        </LinkButton>
      </PageHead>
      <Panel title={t('content.versions.number_of', { version })}>
        <Facts
          facts={[
            { label: t('content.versions.time'), value: <Moment at={change.time} /> },
            { label: t('content.versions.by'), value: <StaffName id={change.made_by} /> },
            { label: t('content.versions.parts'), value: <Parts parts={change.parts} /> },
            { label: t('act.reason'), value: change.reason ?? t('list.none') },
            { label: t('content.versions.restored'), value: change.restored ?? t('list.none') },
          ]}
        />
      </Panel>
      <Panel title={t('content.versions.now')}>
        <VersionDifferences now={now.data} content={content} />
      </Panel>
      <AllTexts content={content} />
    </>
  );
}

function AllTexts({ content }: { content: Content }) {
  const { t } = useTranslation('console');
  const [language, setLanguage] = useState<LanguageCode>('en');
  return (
    <Panel title={t('content.versions.all')}>
      <Tabs
        label={t('content.language')}
        look="chips"
        panel={PANEL}
        value={language}
        onChange={setLanguage}
        items={LANGUAGES.map(({ code, nativeName }) => ({ value: code, label: nativeName }))}
      />
      <TabPanel id={PANEL} label={languageName(language)}>
        {SECTIONS.map((spec) => (
          <SectionText
            key={spec.name}
            spec={spec}
            entries={entriesOf(spec.name, content)}
            language={language}
          />
        ))}
      </TabPanel>
    </Panel>
  );
}
