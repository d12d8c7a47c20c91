import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { LinkButton } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { announce } from '../../act/announce';
import { useKept } from '../../session/use-kept';
import { PageHead } from '../../ui/page-head';
import { titleOf } from './announcement-cells';
import { type AnnouncementDetail, editOf, type NoticeEdit, rebase } from './edit';
import { EditFoot } from './edit-foot';
import { announcementQuery, readAnew } from './read-announcement';
import { ReviewStep } from './review-step';
import { StepMarks } from './step-marks';
import { Theirs } from './theirs';
import { WriteStep } from './write-step';

/** A scheduled announcement, changed before its time. */
export default function EditNoticePage() {
  const { t } = useTranslation('console');
  const { id = '' } = useParams();
  const announcement = useQuery(announcementQuery(id));
  if (announcement.isPending) return <SkeletonCards />;
  if (announcement.isError)
    return <ErrorState error={announcement.error} onRetry={() => void announcement.refetch()} />;
  const isOpen = announcement.data?.state === 'scheduled';
  return (
    <>
      <PageHead title={t('notices.edit_title')}>
        <LinkButton tone="secondary" to={announcement.data ? `/notices/${id}` : '/notices'}>
          {t('notices.back_to_one')}
        </LinkButton>
      </PageHead>
      {announcement.data && isOpen ? (
        <Edited key={id} announcement={announcement.data} />
      ) : (
        <p>{t('notices.not_scheduled')}</p>
      )}
    </>
  );
}

function Edited({ announcement }: { announcement: AnnouncementDetail }) {
  const { t } = useTranslation('console');
  const navigate = useNavigate();
  const client = useQueryClient();
  const { id } = announcement;
  const [kept, keep] = useKept<NoticeEdit>(`announcement.${id}`);
  const edit = kept ?? editOf(announcement);
  const [isReviewed, setReviewed] = useState(false);
  const draft = {
    value: edit.draft,
    change: (change: Partial<NoticeEdit['draft']>) => keep({ ...edit, draft: { ...edit.draft, ...change } }),
    drop: () => keep(null),
  };
  return (
    <>
      <StepMarks step={isReviewed ? 'review' : 'write'} />
      {isReviewed ? (
        <ReviewStep draft={edit.draft}>
          <EditFoot
            edit={edit}
            onBack={() => setReviewed(false)}
            onSaved={() => {
              keep(null);
              announce({ text: t('notices.saved', { title: titleOf(announcement) }) });
              navigate(`/notices/${id}`);
            }}
            onReadAnew={async () => {
              const fresh = await readAnew(client, id);
              if (fresh) keep(rebase(edit, fresh));
              setReviewed(false);
            }}
          />
        </ReviewStep>
      ) : (
        <WriteStep draft={draft} edited={edit.base} onReview={() => setReviewed(true)}>
          <Theirs edit={edit} />
        </WriteStep>
      )}
    </>
  );
}
