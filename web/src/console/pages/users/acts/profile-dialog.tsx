import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import { ActDialog } from '../../../act/act-dialog';
import { NumberInput, REASON_LIMIT, ReasonInput, SwitchInput } from '../../../act/inputs';
import { text, whole } from '../../../act/values';
import { consoleKeys } from '../../../api/keys';
import type { UserDetail } from '../user';

const SCORE = { min: 0, max: 1000 };
const LEVEL = { min: 1, max: 100 };

/** Changes a user's standing: what the user sees of credit score, shop level and membership. */
export function ProfileDialog({ user, onClose }: { user: UserDetail; onClose: () => void }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const yesNo = (value: boolean) => t(value ? 'users.yes' : 'users.no');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/user/profile',
        item: { kind: 'user', id: user.id },
        title: t('users.standing_title', { name: user.username }),
        submit: t('users.change_standing'),
        schema: z.object({
          credit_score: whole(SCORE.min, SCORE.max),
          shop_level: whole(LEVEL.min, LEVEL.max),
          vip: z.boolean(),
          reason: text(REASON_LIMIT),
        }),
        initial: {
          credit_score: String(user.credit_score),
          shop_level: String(user.shop_level),
          vip: user.vip,
          reason: '',
        },
        fields: (
          <>
            <NumberInput name="credit_score" label={t('users.credit_score')} />
            <NumberInput name="shop_level" label={t('users.shop_level')} />
            <SwitchInput name="vip" label={t('users.vip')} hint={t('users.vip_hint')} />
            <ReasonInput />
          </>
        ),
        changes: (values) => [
          {
            what: t('users.credit_score'),
            before: integer(user.credit_score),
            after: integer(Number(values.credit_score)),
          },
          {
            what: t('users.shop_level'),
            before: integer(user.shop_level),
            after: integer(Number(values.shop_level)),
          },
          { what: t('users.vip'), before: yesNo(user.vip), after: yesNo(values.vip) },
        ],
        // Only what differs: another member may have changed the rest meanwhile.
        body: (values) => ({
          id: user.id,
          ...(Number(values.credit_score) === user.credit_score
            ? {}
            : { credit_score: Number(values.credit_score) }),
          ...(Number(values.shop_level) === user.shop_level ? {} : { shop_level: Number(values.shop_level) }),
          ...(values.vip === user.vip ? {} : { vip: values.vip }),
          reason: values.reason,
        }),
        done: () => ({ text: t('users.standing_done', { name: user.username }) }),
        touches: [consoleKeys.one('/admin/user/detail', user.id), consoleKeys.list('/admin/user/list')],
      }}
    />
  );
}
