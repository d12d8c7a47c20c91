import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { useMay } from '../../session/use-staff';
import { Badge } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { useUserRows } from './use-user-rows';
import { UserRows } from './user-rows';

/** A user's notices as their inbox has them. Reading them is audited, so they are read when somebody asks for them. */
export function UserNotices({ userId }: { userId: string }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const [isAsked, setAsked] = useState(false);
  if (!may('GET /admin/user/notices')) return null;
  return (
    <Panel title={t('users.notices')}>
      {isAsked ? (
        <Notices userId={userId} />
      ) : (
        <>
          <p>{t('users.notices_audited')}</p>
          <div>
            <Button tone="secondary" onClick={() => setAsked(true)}>
              {t('users.show_notices')}
            </Button>
          </div>
        </>
      )}
    </Panel>
  );
}

function Notices({ userId }: { userId: string }) {
  const { t } = useTranslation('console');
  const rows = useUserRows('/admin/user/notices', { user_id: userId });
  return (
    <UserRows
      label={t('users.notices')}
      rows={rows}
      rowKey={({ id }) => id}
      empty={t('users.no_notices')}
      columns={[
        { id: 'title', header: t('notices.notice_title'), cell: ({ title }) => title },
        { id: 'content', header: t('notices.notice_content'), cell: ({ content }) => content },
        { id: 'time', header: t('users.notice_time'), cell: ({ time }) => <Moment at={time} /> },
        {
          id: 'read',
          header: t('users.notice_read'),
          cell: ({ read }) => (
            <Badge tone={read ? 'neutral' : 'info'}>{t(read ? 'users.yes' : 'users.no')}</Badge>
          ),
        },
      ]}
    />
  );
}
