import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import type { PostBody } from '@/lib/api/contract';
import { ApiError } from '@/lib/api/error';
import { useIntentionKey } from '@/lib/idempotency';
import { internalPath } from '@/lib/internal-path';
import { toast } from '@/ui/toast';
import { useOverlay } from '@/ui/use-overlay';
import { useBind } from '../api/queries';
import { useLateRejection } from './use-late-rejection';

type Input = {
  body: PostBody<'/bank_card/edit'>;
  /** The form's fields. A refusal of one of them is shown there. */
  fields: readonly string[];
  reject: (found: Record<string, string>) => void;
  next: string | null;
};

export type Binding = ReturnType<typeof useBinding>;

/** Binds the form's account after its review, then returns to the previous page or shows the account. */
export function useBinding({ body, fields, reject, next }: Input) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const review = useOverlay('review');
  const bind = useBind();
  const key = useIntentionKey();
  const rejectLater = useLateRejection(review.isOpen, reject);

  const onPay = async (password: string | null) => {
    const whole = { ...body, ...(password ? { password } : {}) };
    try {
      await bind.mutateAsync({ body: whole, key: key.for(whole) });
      key.settle(null);
      toast(t('bind.success'));
      navigate(internalPath(next) ?? `${pathname}${search}`, { replace: true });
    } catch (error) {
      key.settle(error);
      if (error instanceof ApiError && error.field && fields.includes(error.field)) {
        rejectLater({ [error.field]: errorText(error) });
        review.close();
      }
      throw error;
    }
  };
  return { review, onPay };
}
