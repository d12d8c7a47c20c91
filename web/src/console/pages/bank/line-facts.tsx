import { useTranslation } from 'react-i18next';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Day } from './days';
import type { BankLine } from './line-state';

/** What the bank says of a line. */
export function LineFacts({ line }: { line: BankLine }) {
  const { t } = useTranslation('console');
  return (
    <Facts
      facts={[
        { label: t('bank.booked_on'), value: <Day day={line.booked_on} /> },
        { label: t('bank.amount'), value: <Amount value={line.amount} signed /> },
        { label: t('bank.payer'), value: line.party ?? t('list.none') },
        { label: t('bank.text'), value: line.text ?? t('list.none') },
        { label: t('bank.bank_reference'), value: line.bank_reference ?? t('list.none') },
      ]}
    />
  );
}
