import { useTranslation } from 'react-i18next';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import { CreditLine } from './credit-line';
import type { BankLine } from './line-state';
import { SetAside } from './set-aside';

/** What can be done with a line in its state. */
export function LineActs({ line, name }: { line: BankLine; name: string }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const isOpen = line.state === 'open';
  const mayAside = may('POST /admin/bank/line/aside');
  const offered: (Offered | false)[] = [
    isOpen &&
      may('POST /admin/bank/line/credit') && {
        id: 'credit',
        label: t('bank.credit'),
        dialog: (close) => <CreditLine line={line} onClose={close} />,
      },
    isOpen &&
      mayAside && {
        id: 'aside',
        label: t('bank.set_aside'),
        dialog: (close) => <SetAside line={line} onClose={close} />,
      },
    line.state === 'aside' &&
      mayAside && {
        id: 'back',
        label: t('bank.take_back'),
        dialog: (close) => <SetAside line={line} onClose={close} />,
      },
  ];
  const known = offered.filter((act) => act !== false);
  return known.length === 0 ? null : <RowMenu name={name} offered={known} />;
}
