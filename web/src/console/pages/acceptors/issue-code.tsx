import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import {
  AmountInput,
  ChoiceInput,
  MomentInput,
  momentOf,
  NumberInput,
  REASON_LIMIT,
  ReasonInput,
  TextInput,
} from '../../act/inputs';
import { UserInput } from '../../act/user-input';
import { amount, amountOf, decimal, optionalText, text } from '../../act/values';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import type { PickedUser } from '../../ui/user-picker';

const DIRECTIONS = ['wallet_to_currency', 'currency_to_wallet'] as const;
/** Letters of a currency's code in ISO 4217. */
const CURRENCY_LETTERS = 3;
const RATE_DECIMALS = 8;

const schema = z.object({
  direction: z.enum(DIRECTIONS),
  currency: text(CURRENCY_LETTERS),
  rate: decimal(RATE_DECIMALS),
  min: amount(),
  max: amount(),
  expires_at: z.string().min(1),
  user_id: z.string(),
  reason: optionalText(REASON_LIMIT),
});

const INITIAL: z.infer<typeof schema> = {
  direction: 'wallet_to_currency',
  currency: '',
  rate: '',
  min: '',
  max: '',
  expires_at: '',
  user_id: '',
  reason: '',
};

type Props = { acceptor: components['schemas']['Acceptor']; onClose: () => void };

/** Issues a code for an offer of an acceptor, for one user or for anyone who has it. */
export function IssueCode({ acceptor, onClose }: Props) {
  const { t } = useTranslation('console');
  const [user, setUser] = useState<PickedUser | null>(null);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/acceptance_code/create',
        title: t('acceptors.code.title'),
        submit: t('acceptors.code.issue'),
        intro: <Facts facts={[{ label: t('acceptors.code.acceptor'), value: acceptor.name }]} />,
        schema,
        initial: INITIAL,
        fields: <Fields user={user} onUser={setUser} />,
        changes: ({ direction, currency, rate, min, max, expires_at, user_id }) => [
          {
            what: t('acceptors.code.direction'),
            before: null,
            after: t(`acceptors.code.directions.${direction}`),
          },
          {
            what: t('acceptors.code.rate'),
            before: null,
            after: t('acceptors.code.rate_shown', { rate, currency: currency.toUpperCase() }),
          },
          { what: t('acceptors.code.min'), before: null, after: <Amount value={amountOf(min)} /> },
          { what: t('acceptors.code.max'), before: null, after: <Amount value={amountOf(max)} /> },
          { what: t('acceptors.code.expires'), before: null, after: <Moment at={momentOf(expires_at)} /> },
          {
            what: t('acceptors.code.for'),
            before: null,
            after: user_id === '' ? t('acceptors.code.anyone') : (user?.username ?? user_id),
          },
        ],
        body: ({ currency, min, max, expires_at, user_id, reason, ...offer }) => ({
          ...offer,
          acceptor_id: acceptor.id,
          currency: currency.toUpperCase(),
          min: amountOf(min),
          max: amountOf(max),
          expires_at: momentOf(expires_at),
          ...(user_id === '' ? {} : { user_id }),
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ code }) => ({
          text: t('acceptors.code.issued'),
          result: <CopyableCode text={code} label={t('acceptors.code.copy')} />,
        }),
        touches: [],
      }}
    />
  );
}

type FieldsProps = { user: PickedUser | null; onUser: (user: PickedUser | null) => void };

function Fields({ user, onUser }: FieldsProps) {
  const { t } = useTranslation('console');
  return (
    <>
      <ChoiceInput
        name="direction"
        label={t('acceptors.code.direction')}
        options={DIRECTIONS.map((value) => ({ value, label: t(`acceptors.code.directions.${value}`) }))}
      />
      <TextInput
        name="currency"
        label={t('acceptors.code.currency')}
        hint={t('acceptors.code.currency_hint')}
        limit={CURRENCY_LETTERS}
      />
      <NumberInput name="rate" label={t('acceptors.code.rate')} hint={t('acceptors.code.rate_hint')} />
      <AmountInput name="min" label={t('acceptors.code.min')} />
      <AmountInput name="max" label={t('acceptors.code.max')} />
      <MomentInput name="expires_at" label={t('acceptors.code.expires')} />
      <UserInput
        name="user_id"
        label={t('acceptors.code.user')}
        hint={t('acceptors.code.user_hint')}
        picked={user}
        onPick={onUser}
        optional
      />
      <ReasonInput optional />
    </>
  );
}
