import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../session/use-staff';
import { columnsOf } from '../../table/columns';
import type { Column } from '../../table/list';
import { UserLink } from '../../ui/user-link';
import { Day } from './days';
import { type BankLine, LineState } from './line-state';

const { amount, code, count, staff, text } = columnsOf<BankLine>();

export const LINE_COLUMNS: readonly Column<BankLine>[] = [
  {
    id: 'booked_on',
    header: 'bank.booked_on',
    width: 120,
    cell: (line) => <Day day={line.booked_on} />,
    csv: (line) => line.booked_on,
  },
  amount('amount', 'bank.amount', { signed: true }),
  text('party', 'bank.payer', { width: 150 }),
  text('text', 'bank.text', { width: 240 }),
  text('bank_reference', 'bank.bank_reference', { width: 130 }),
  {
    id: 'user',
    header: 'bank.user',
    width: 150,
    cell: (line) => <Payer line={line} />,
    csv: (line) => payerOf(line)?.username ?? payerOf(line)?.id ?? null,
  },
  {
    id: 'state',
    header: 'bank.state',
    width: 150,
    cell: (line) => <LineState line={line} />,
    csv: ({ state }) => state,
  },
  {
    id: 'see',
    header: 'bank.see',
    width: 120,
    cell: (line) => <See line={line} />,
    csv: (line) => line.withdrawal_id ?? line.approval_id ?? line.transaction_id,
  },
  text('reason', 'bank.aside_reason', { optional: true }),
  staff('decided_by', 'bank.decided_by', { optional: true }),
  count('line', 'bank.line', { width: 80, optional: true }),
  code('withdrawal_id', 'bank.withdrawal_id', { optional: true }),
  code('transaction_id', 'bank.transaction_id', { optional: true }),
];

/** Who is credited, will be, or would be. */
function payerOf({ user, matched_user: matched }: BankLine): BankLine['user'] {
  return user ?? matched;
}

function Payer({ line }: { line: BankLine }) {
  const { t } = useTranslation('console');
  const payer = payerOf(line);
  if (payer) return <UserLink id={payer.id} name={payer.username} />;
  return line.state === 'paid_out' ? t('list.none') : t('bank.nobody');
}

/** What the line belongs to elsewhere. */
function See({ line }: { line: BankLine }) {
  const { t } = useTranslation('console');
  const may = useMay();
  if (line.approval_id !== null && line.state === 'waiting' && may('GET /admin/approval/list'))
    return <Link to="/approvals">{t('bank.see_approval')}</Link>;
  if (line.withdrawal_id !== null && may('GET /admin/withdraw/list'))
    return <Link to={`/withdrawals?id=${line.withdrawal_id}`}>{t('bank.see_withdrawal')}</Link>;
  return null;
}
