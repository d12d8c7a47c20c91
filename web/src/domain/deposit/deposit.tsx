import { usePart } from '@/ui/use-part';

type Props = { isOpen: boolean; onClose: () => void };

const loadSheet = () => import('./deposit-sheet');

/** What there is to know about a deposit. Its code comes with the first opening. */
export function Deposit({ isOpen, onClose }: Props) {
  const DepositSheet = usePart(loadSheet, isOpen, onClose);
  return DepositSheet ? <DepositSheet isOpen={isOpen} onClose={onClose} /> : null;
}
