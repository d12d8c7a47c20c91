import { Landmark, WalletMinimal } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Destination } from '@/lib/api/types';
import { internalPath } from '@/lib/internal-path';
import { Button, LinkButton } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import { useOverlay } from '@/ui/use-overlay';
import styles from './bound-destination.module.css';
import { destinationTexts } from './destination-text';

type Props = {
  destination: Destination;
  /** The page to return to after binding. */
  next: string | null;
  /** Null while the replacement form is open. */
  onReplace: (() => void) | null;
};

/** The bound account, masked by the server, and a confirmation before replacing it. */
export function BoundDestination({ destination, next, onReplace }: Props) {
  const { t } = useTranslation();
  const dialog = useOverlay('rebind');
  const { kind } = destination;
  const { title, account } = destinationTexts(destination);
  const Icon = kind === 'bank_card' ? Landmark : WalletMinimal;
  return (
    <>
      <section className={styles.card} aria-label={t(`bind.bound.${kind}`)}>
        <div className={styles.cardHead}>
          <span>{title}</span>
          <Icon size={24} aria-hidden="true" />
        </div>
        <p className={styles.number}>{account}</p>
        {destination.kind === 'bank_card' ? (
          <dl className={styles.facts}>
            <div>
              <dt>{t('bind.field.user_name')}</dt>
              <dd>{destination.user_name}</dd>
            </div>
            <div>
              <dt>{t('bind.field.branch_name')}</dt>
              <dd>{destination.branch_name}</dd>
            </div>
            <div>
              <dt>{t('bind.field.mobile')}</dt>
              <dd>{destination.mobile}</dd>
            </div>
          </dl>
        ) : null}
      </section>
      {onReplace ? (
        <div className={styles.actions}>
          <LinkButton large to={internalPath(next) ?? '/wallet/withdraw'}>
            {t('bind.to_withdraw')}
          </LinkButton>
          <Button large tone="secondary" onClick={dialog.open}>
            {t('bind.another')}
          </Button>
        </div>
      ) : null}
      <Sheet
        kind="dialog"
        isOpen={dialog.isOpen}
        onClose={dialog.close}
        title={t('bind.another_title')}
        footer={
          <>
            <Button tone="secondary" onClick={dialog.close}>
              {t('bind.keep')}
            </Button>
            <Button
              onClick={() => {
                dialog.close();
                onReplace?.();
              }}
            >
              {t('bind.another')}
            </Button>
          </>
        }
      >
        {t(`bind.another_text.${kind}`, { masked: account })}
      </Sheet>
    </>
  );
}
