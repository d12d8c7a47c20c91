import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { LinkButton } from '@/ui/button';
import { CopyableCode } from '@/ui/copyable-code';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import { type Fact, Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { PageHead } from '../../ui/page-head';
import { Panel } from '../../ui/panel';
import { StaffName } from '../../ui/staff-name';
import { AnnouncementState, PublishedAt, Reached, RecipientsOf, titleOf } from './announcement-cells';
import { CategoryName } from './category-name';
import { type AnnouncementDetail, draftOf } from './edit';
import { Previews } from './previews';
import { announcementQuery } from './read-announcement';
import { Receivers } from './receivers';
import { Withdraw } from './withdraw';

/** One announcement, and what can still be done about it. */
export default function NoticePage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const announcement = useQuery(announcementQuery(id));
  if (announcement.isPending) return <SkeletonCards />;
  if (announcement.isError)
    return <ErrorState error={announcement.error} onRetry={() => void announcement.refetch()} />;
  if (announcement.data === null)
    return (
      <>
        <PageHead title={t('notices.one_title')} />
        <p>{t('notices.not_found')}</p>
      </>
    );
  return (
    <>
      <PageHead title={titleOf(announcement.data)}>
        <Acts announcement={announcement.data} />
      </PageHead>
      <Panel title={t('notices.one_title')}>
        <AnnouncementFacts announcement={announcement.data} />
      </Panel>
      {announcement.data.to === 'all' ? null : (
        <Panel title={t('notices.recipients')}>
          <Receivers users={draftOf(announcement.data).users} />
        </Panel>
      )}
      <Panel title={t('notices.preview')}>
        <Previews draft={draftOf(announcement.data)} />
      </Panel>
    </>
  );
}

function Acts({ announcement }: { announcement: AnnouncementDetail }) {
  const { t } = useTranslation('console');
  const may = useMay();
  if (announcement.state !== 'scheduled') return null;
  return (
    <>
      {may('POST /admin/announcement/edit') ? (
        <LinkButton to={`/notices/${announcement.id}/edit`}>{t('notices.edit')}</LinkButton>
      ) : null}
      {may('POST /admin/announcement/withdraw') ? (
        <ActButton
          quiet
          offered={{
            id: 'withdraw',
            label: t('notices.withdraw'),
            tone: 'danger',
            dialog: (close) => <Withdraw announcement={announcement} onClose={close} />,
          }}
        />
      ) : null}
    </>
  );
}

function AnnouncementFacts({ announcement }: { announcement: AnnouncementDetail }) {
  const { t } = useTranslation('console');
  const { id, changed_by: changedBy, withdrawal_reason: reason } = announcement;
  const changed: Fact[] =
    changedBy === null
      ? []
      : [
          { label: t('notices.changed_by'), value: <StaffName id={changedBy} /> },
          { label: t('notices.changed_at'), value: <Moment at={announcement.changed_at} /> },
        ];
  const withdrawn: Fact[] = reason === null ? [] : [{ label: t('notices.withdrawal_reason'), value: reason }];
  const facts: Fact[] = [
    { label: t('notices.state'), value: <AnnouncementState announcement={announcement} /> },
    { label: t('notices.category'), value: <CategoryName category={announcement.category} /> },
    { label: t('notices.recipients'), value: <RecipientsOf announcement={announcement} /> },
    { label: t('notices.published_or_due'), value: <PublishedAt announcement={announcement} /> },
    { label: t('notices.reached'), value: <Reached announcement={announcement} /> },
    { label: t('notices.made_by'), value: <StaffName id={announcement.made_by} /> },
    { label: t('notices.made_at'), value: <Moment at={announcement.time} /> },
    ...changed,
    ...withdrawn,
    {
      label: t('notices.sent_id'),
      value: <CopyableCode text={id} label={t('list.copy', { what: t('notices.sent_id') })} />,
    },
  ];
  return <Facts facts={facts} />;
}
