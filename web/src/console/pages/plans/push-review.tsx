import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fromMinor, toMinor } from '@/lib/money';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { useProblemText } from '../../act/use-send';
import { amountOf } from '../../act/values';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { UserLink } from '../../ui/user-link';
import { AudienceText } from './audience';
import styles from './push-review.module.css';
import { type Operator, ownAudience, type Product, type PushValues, recipientsOf } from './push-values';

type Props = {
  values: PushValues;
  product: Product;
  operator: Operator | undefined;
  error: Error | null;
  isBusy: boolean;
  onBack: () => void;
  onPush: () => void;
};

/** What each user will see, and how many they are, before anything is sent. */
export function PushReview({ values, product, operator, error, isBusy, onBack, onPush }: Props) {
  const { t } = useTranslation('console');
  const problemText = useProblemText();
  const box = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, []);
  const count = recipientsOf(values, operator);
  const amount = amountOf(values.amount);
  const total = fromMinor(toMinor(amount) * BigInt(count));
  return (
    <div className={styles.review} ref={box} tabIndex={-1}>
      <Panel title={t('plans.preview')}>
        <p>{t('plans.preview_text')}</p>
        <Facts
          facts={[
            { label: t('plans.product'), value: product.name, note: product.category },
            { label: t('plans.proposed_amount'), value: <Amount value={amount} /> },
            {
              label: t('plans.audience'),
              value: <AudienceText audience={ownAudience(values) ?? product.audience} />,
            },
            ...(operator ? [{ label: t('plans.operator'), value: operator.name }] : []),
            {
              label: t('plans.put_content'),
              value: <span className={styles.text}>{values.put_content}</span>,
            },
            {
              label: t('plans.put_rule'),
              value: <span className={styles.text}>{values.put_rule || t('list.none')}</span>,
            },
          ]}
        />
      </Panel>
      <Panel title={t('plans.recipients')}>
        <Facts
          facts={[
            {
              label: t('plans.recipients_count'),
              value: <Count value={count} />,
              note: values.to === 'followers' ? t('plans.followers_note') : undefined,
            },
            { label: t('plans.total'), value: <Amount value={total} />, note: t('plans.total_note') },
            ...(values.to === 'users'
              ? [
                  {
                    label: t('plans.users'),
                    value: values.users.map(({ id, username }, index) => (
                      <span key={id}>
                        {index === 0 ? '' : ', '}
                        <UserLink id={id} name={username} />
                      </span>
                    )),
                  },
                ]
              : []),
          ]}
        />
      </Panel>
      <FormAlert>{error ? problemText(error) : null}</FormAlert>
      <div className={styles.actions}>
        <Button tone="secondary" disabled={isBusy} onClick={onBack}>
          {t('plans.back')}
        </Button>
        <Button busy={isBusy} onClick={onPush}>
          {t('plans.push_to', { count })}
        </Button>
      </div>
    </div>
  );
}
