import { type ComponentProps, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { cx } from './cx';
import { FieldBox, FieldFrame } from './field';
import styles from './text-area.module.css';

type Props = Omit<ComponentProps<'textarea'>, 'value'> & {
  label: string;
  value: string;
  error?: string | undefined;
  optional?: boolean;
  /** The maximum length in characters, shown by the counter. */
  limit: number;
};

/** A multi-line `TextField` that grows with its text. */
export function TextArea({ label, error, optional, limit, value, ...area }: Props) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const counterId = useId();
  const used = [...value].length;
  return (
    <div>
      <FieldFrame label={label} error={error} optional={optional}>
        {(wiring) => (
          <FieldBox>
            <textarea
              rows={5}
              {...area}
              {...wiring}
              value={value}
              maxLength={limit}
              className={styles.area}
              aria-describedby={cx(wiring['aria-describedby'], counterId)}
            />
          </FieldBox>
        )}
      </FieldFrame>
      <p className={cx(styles.counter, used >= limit && styles.full)} id={counterId}>
        <span aria-hidden="true">{`${integer(used)} / ${integer(limit)}`}</span>
        <span className="visually-hidden">
          {t('common.characters_used', { used: integer(used), limit: integer(limit) })}
        </span>
      </p>
    </div>
  );
}
