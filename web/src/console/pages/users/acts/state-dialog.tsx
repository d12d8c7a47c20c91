import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../../act/act-dialog';
import { ChoiceInput, REASON_LIMIT, ReasonInput } from '../../../act/inputs';
import { text } from '../../../act/values';
import { consoleKeys } from '../../../api/keys';
import type { UserDetail } from '../user';
import { USER_STATES } from '../user-state';

/** Changes the state of an account. Anything but `active` keeps the user out. */
export function StateDialog({ user, onClose }: { user: UserDetail; onClose: () => void }) {
  const { t } = useTranslation('console');
  const others = USER_STATES.filter((state) => state !== user.state);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/user/state',
        item: { kind: 'user', id: user.id },
        title: t('users.state_title', { name: user.username }),
        submit: t('users.change_state'),
        tone: 'danger',
        schema: z.object({ state: z.enum(USER_STATES), reason: text(REASON_LIMIT) }),
        initial: { state: others[0] ?? 'disabled', reason: '' },
        fields: (
          <>
            <ChoiceInput
              name="state"
              label={t('users.new_state')}
              options={others.map((value) => ({ value, label: t(`users.states.${value}`) }))}
            />
            <ReasonInput />
          </>
        ),
        changes: ({ state }) => [
          {
            what: t('users.state'),
            before: t(`users.states.${user.state}`),
            after: t(`users.states.${state}`),
          },
          { what: t('users.then'), before: null, after: t(`users.state_then.${state}`) },
        ],
        body: ({ state, reason }) => ({ id: user.id, state, reason }),
        done: () => ({ text: t('users.state_done', { name: user.username }) }),
        touches: [consoleKeys.one('/admin/user/detail', user.id), consoleKeys.list('/admin/user/list')],
      }}
    />
  );
}
