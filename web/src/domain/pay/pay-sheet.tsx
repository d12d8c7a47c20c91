import type { ReactNode } from 'react';
import { usePart } from '@/ui/use-part';

export type PaySheetProps = {
  title: string;
  /** What is about to happen: amount, fee or coupon, destination, balance after. */
  children: ReactNode;
  /** The button that leads from the review on: to the password, or straight to the deed where none is asked for. */
  confirmLabel: string;
  /** False: the user has no transaction password that could be asked for. */
  asksPassword: boolean;
  /** What the password stands for, in a few words above its boxes: the amount, the account. */
  summary?: ReactNode;
  /**
   * Does it. Gets the password as MD5, or null where none is asked for. A rejection is shown here and everything stays;
   * the caller closes the sheet or leaves the page after a success.
   */
  onPay: (password: string | null) => Promise<unknown>;
  onClose: () => void;
};

const load = () => import('./pay-sheet-content');

/** Review, then transaction password, then the deed. Fetched with its digest of the password when it is first asked for. */
export function PaySheet(props: PaySheetProps) {
  const Content = usePart(load, true, props.onClose);
  return Content ? <Content {...props} /> : null;
}
