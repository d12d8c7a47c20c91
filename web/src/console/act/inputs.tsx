import { get, useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldBox, FieldFrame, TextField } from '@/ui/field';
import { TextArea } from '@/ui/text-area';
import styles from './inputs.module.css';

type InputProps = { name: string; label: string; hint?: string; optional?: boolean };

/** The reasons of most calls may have this many characters. */
export const REASON_LIMIT = 500;

export function TextInput({ limit, ...props }: InputProps & { limit?: number }) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return (
    <TextField
      {...props}
      error={error}
      autoComplete="off"
      {...(limit === undefined ? {} : { maxLength: limit })}
      {...register(props.name)}
    />
  );
}

/** An amount of the platform's currency, as somebody types it. */
export function AmountInput(props: InputProps) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return (
    <TextField {...props} error={error} inputMode="decimal" autoComplete="off" {...register(props.name)} />
  );
}

export function NumberInput(props: InputProps) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return (
    <TextField {...props} error={error} inputMode="numeric" autoComplete="off" {...register(props.name)} />
  );
}

/** A moment in the member's own time zone; `momentOf` gives what is sent. */
export function MomentInput(props: InputProps) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return <TextField {...props} error={error} type="datetime-local" {...register(props.name)} />;
}

export function LongInput({ limit, ...props }: Omit<InputProps, 'hint'> & { limit: number }) {
  const { register, watch } = useFormContext();
  const error = useFieldError(props.name);
  const value: unknown = watch(props.name);
  return (
    <TextArea
      label={props.label}
      optional={props.optional ?? false}
      error={error}
      limit={limit}
      value={typeof value === 'string' ? value : ''}
      rows={3}
      {...register(props.name)}
    />
  );
}

/** Why the act is made. It is in the audit log. */
export function ReasonInput({ optional }: { optional?: boolean }) {
  const { t } = useTranslation('console');
  return (
    <LongInput
      name="reason"
      label={t('act.reason')}
      limit={REASON_LIMIT}
      {...(optional === undefined ? {} : { optional })}
    />
  );
}

type ChoiceProps = InputProps & { options: readonly { value: string; label: string }[] };

export function ChoiceInput({ options, ...props }: ChoiceProps) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return (
    <FieldFrame label={props.label} error={error} hint={props.hint} optional={props.optional}>
      {(wiring) => (
        <FieldBox>
          <select className={styles.select} {...wiring} {...register(props.name)}>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </FieldBox>
      )}
    </FieldFrame>
  );
}

/** Any number of a few options. The value is the list of those that are ticked. */
export function ManyInput({ options, ...props }: ChoiceProps) {
  const { register } = useFormContext();
  const error = useFieldError(props.name);
  return (
    <fieldset className={styles.many}>
      <legend className={styles.legend}>{props.label}</legend>
      {options.map(({ value, label }) => (
        <label key={value} className={styles.option}>
          <input type="checkbox" value={value} {...register(props.name)} />
          {label}
        </label>
      ))}
      {props.hint ? <p className={styles.hint}>{props.hint}</p> : null}
      {error ? (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

export function SwitchInput({ name, label, hint }: InputProps) {
  const { register } = useFormContext();
  const error = useFieldError(name);
  return (
    <div>
      <label className={styles.option}>
        <input type="checkbox" aria-invalid={error ? true : undefined} {...register(name)} />
        {label}
      </label>
      {hint ? <p className={styles.hint}>{hint}</p> : null}
      {error ? (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      ) : null}
    </div>
  );
}

/** The instant of a `datetime-local` value, which is in the browser's time zone. */
export function momentOf(local: string): string {
  return new Date(local).toISOString();
}

/** The message of a field: the server's own words, or the text for a key of `values.ts`. */
function useFieldError(name: string): string | undefined {
  const { t } = useTranslation('console');
  const { formState } = useFormContext();
  const error = get(formState.errors, name) as { type?: string; message?: string } | undefined;
  if (!error) return undefined;
  if (error.type === 'server' || !error.message) return error.message || t('act.required');
  const [key = '', first = '', second = ''] = error.message.split(':');
  switch (key) {
    case 'amount_wrong':
      return t('act.amount_wrong');
    case 'too_long':
      return t('act.too_long', { limit: first });
    case 'whole_wrong':
      return t('act.whole_wrong', { min: first, max: second });
    case 'decimal_wrong':
      return t('act.decimal_wrong', { places: first });
    case 'tick':
      return t('act.tick_required');
    default:
      return t('act.required');
  }
}
