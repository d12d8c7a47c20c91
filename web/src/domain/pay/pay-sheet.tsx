import type { ReactNode } from 'react';
import { usePart } from '@/ui/use-part';

export type PaySheetProps = {
  title: string;
  /** The review: amount, fee or coupon, destination, resulting balance. */
  children: ReactNode;
  /** The label of the button that leaves the review, to the password or straight to the payment. */
  confirmLabel: string;
  /** False if the user has no transaction password. */
  asksPassword: boolean;
  /** A short summary above the password's boxes, such as amount and account. */
  summary?: ReactNode;
  /**
   * Makes the payment. Receives the password as MD5, or null without one. The sheet shows a rejection and stays open;
   * after a success the caller closes it or leaves the page.
   */
  onPay: (password: string | null) => Promise<unknown>;
  onClose: () => void;
};

const load = () => import('./pay-sheet-content');

/** Review, transaction password, payment. Loads on first use, together with the MD5 code. */
export function PaySheet(props: PaySheetProps) {
  const Content = usePart(load, true, props.onClose);
  return Content ? <Content {...props} /> : null;
}
