import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { draftOf, dropDraft, keepDraft } from '@/lib/drafts';
import { sessionStore } from '@/lib/session/store';

type Errors<V> = { [K in keyof V]?: string | undefined };

/**
 * The state of a form of text fields: checks on submit, focuses the first field that is wrong, and takes a field's
 * error away as soon as it is typed in again. What was typed is never lost on a failure, and is there again, except for
 * passwords, when a login had to come between.
 */
export function useForm<V extends Record<string, string>>(initial: V, check: (values: V) => Errors<V>) {
  const form = useRef<HTMLFormElement>(null);
  const { pathname } = useLocation();
  const name = `${pathname} ${Object.keys(initial)}`;
  const [values, setValues] = useState(() => ({ ...initial, ...draftOf<V>(name) }));
  const [errors, setErrors] = useState<Errors<V>>({});
  const [failures, setFailures] = useState(0);

  useEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  useDraft(name, values);

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
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        setValue(name, event.target.value),
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

/** Holds what was typed when the form goes because the session ended by itself. */
function useDraft(name: string, values: Record<string, string>): void {
  const latest = useRef(values);
  latest.current = values;
  useEffect(() => {
    dropDraft(name);
    const hadSession = sessionStore.get().token !== null;
    return () => {
      const { token, leftByUser } = sessionStore.get();
      if (hadSession && token === null && !leftByUser) keepDraft(name, latest.current);
    };
  }, [name]);
}
