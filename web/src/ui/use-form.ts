import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react';

type Errors<V> = { [K in keyof V]?: string | undefined };

/**
 * The state of a form of text fields: checks on submit, focuses the first field that is wrong, and takes a field's
 * error away as soon as it is typed in again. What was typed is never lost on a failure.
 */
export function useForm<V extends Record<string, string>>(initial: V, check: (values: V) => Errors<V>) {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Errors<V>>({});
  const [failures, setFailures] = useState(0);

  useEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  const setValue = (name: keyof V, value: string) => {
    setValues((current) => ({ ...current, [name]: value }));
    setErrors((current) => ({ ...current, [name]: undefined }));
  };

  /** Shows errors that only the server could find. */
  const reject = (found: Errors<V>) => {
    setErrors(found);
    setFailures((count) => count + 1);
  };

  return {
    values,
    errors,
    setValue,
    reject,
    fieldProps: (name: keyof V & string) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: (event: ChangeEvent<HTMLInputElement>) => setValue(name, event.target.value),
    }),
    formProps: (onValid: (values: V) => void) => ({
      ref: form,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        const found = check(values);
        if (Object.values(found).some(Boolean)) reject(found);
        else onValid(values);
      },
    }),
  };
}
