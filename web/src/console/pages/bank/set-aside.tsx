import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { LineFacts } from './line-facts';
import type { BankLine } from './line-state';
import { lineTouches } from './line-touches';

type Props = { line: BankLine; onClose: () => void };

/** Sets an open line aside that nobody is to be credited for, or takes that back. */
export function SetAside({ line, onClose }: Props) {
  const { t } = useTranslation('console');
  const toAside = line.state !== 'aside';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/bank/line/aside',
        item: { kind: 'bank_line', id: line.id },
        title: t(toAside ? 'bank.aside_title' : 'bank.back_title'),
        submit: t(toAside ? 'bank.set_aside' : 'bank.take_back'),
        intro: (
          <>
            <LineFacts line={line} />
            {line.reason === null ? null : <p>{t('bank.aside_because', { reason: line.reason })}</p>}
          </>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('bank.state'),
            before: t(`bank.states.${line.state}`),
            after: t(toAside ? 'bank.states.aside' : 'bank.states.open'),
          },
        ],
        body: ({ reason }) => ({ id: line.id, aside: toAside, reason }),
        done: () => ({ text: t(toAside ? 'bank.aside_done' : 'bank.back_done') }),
        touches: lineTouches(),
      }}
    />
  );
}
