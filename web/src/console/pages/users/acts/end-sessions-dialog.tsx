import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../../act/inputs';
import { text } from '../../../act/values';
import { consoleKeys } from '../../../api/keys';
import type { UserDetail } from '../user';

/** Logs a user out everywhere. The user reads the reason. */
export function EndSessionsDialog({ user, onClose }: { user: UserDetail; onClose: () => void }) {
  const { t } = useTranslation('console');
  const name = user.username;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/user/sessions/end',
        title: t('users.end_sessions_title', { name }),
        submit: t('users.end_sessions'),
        tone: 'danger',
        intro: <p>{t('users.end_sessions_intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('users.sessions'),
            before: String(user.sessions.length),
            after: '0',
          },
          { what: t('users.then'), before: null, after: t('users.end_sessions_then') },
        ],
        body: ({ reason }) => ({ user_id: user.id, reason }),
        done: ({ ended }) => ({ text: t('users.end_sessions_done', { count: ended, name }) }),
        touches: [
          consoleKeys.one('/admin/user/detail', user.id),
          consoleKeys.list('/admin/user/security_log'),
        ],
      }}
    />
  );
}
