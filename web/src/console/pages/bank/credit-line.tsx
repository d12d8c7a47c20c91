import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput, SwitchInput } from '../../act/inputs';
import { UserInput } from '../../act/user-input';
import { optionalText } from '../../act/values';
import { Amount } from '../../ui/amount';
import type { PickedUser } from '../../ui/user-picker';
import styles from './credit-line.module.css';
import { LineFacts } from './line-facts';
import type { BankLine } from './line-state';
import { lineTouches } from './line-touches';

type Props = { line: BankLine; onClose: () => void };

/** Credits what a line says was paid in: to the matched user, or to one that a person names where nobody was matched. */
export function CreditLine({ line, onClose }: Props) {
  const { t } = useTranslation('console');
  const [picked, setPicked] = useState<PickedUser | null>(null);
  const { matched_user: matched, similar } = line;
  const credited = matched ?? picked;
  const name = credited?.username ?? credited?.id ?? '';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/bank/line/credit',
        item: { kind: 'bank_line', id: line.id },
        title: t('bank.credit_title'),
        submit: t('bank.credit'),
        intro: (
          <>
            <LineFacts line={line} />
            {matched ? null : <p>{t('bank.nobody_text')}</p>}
            {similar ? <p className={styles.warning}>{t('bank.similar_text')}</p> : null}
          </>
        ),
        schema: z.object({
          user_id: z.string().refine((id) => matched !== null || id !== '', 'required'),
          sure: z.boolean().refine((isSure) => !similar || isSure, 'tick'),
          reason: optionalText(REASON_LIMIT),
        }),
        initial: { user_id: '', sure: false, reason: '' },
        fields: (
          <>
            {matched ? null : (
              <UserInput name="user_id" label={t('bank.user')} picked={picked} onPick={setPicked} />
            )}
            {similar ? <SwitchInput name="sure" label={t('bank.similar_sure')} /> : null}
            <ReasonInput optional />
          </>
        ),
        changes: () => [
          {
            what: t('bank.credited_to', { name }),
            before: null,
            after: <Amount value={line.amount} signed />,
          },
          { what: t('bank.state'), before: t('bank.states.open'), after: t('bank.states.credited') },
        ],
        body: ({ user_id: user, reason }) => ({
          id: line.id,
          ...(user === '' ? {} : { user_id: user }),
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ user }) => ({
          text: t('bank.credit_done', { name }),
          links: user ? [{ label: t('bank.see_user'), to: `/users/${user.id}` }] : [],
        }),
        touches: lineTouches(),
      }}
    />
  );
}
