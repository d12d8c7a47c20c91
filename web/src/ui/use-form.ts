import { type ChangeEvent, type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { draftOf, dropDraft, keepDraft } from '@/lib/drafts';
import { sessionStore } from '@/lib/session/store';

type Errors<V> = { [K in keyof V]?: string | undefined };

/**
 * The state of a form with text fields. Validates on submit, focuses the first invalid field, and clears a field's
 * error on input. Input survives failures and, except for passwords, a login in between.
 */
export function useForm<V extends Record<string, string>>(initial: V, check: (values: V) => Errors<V>) {
  const form = useRef<HTMLFormElement>(null);
  const { pathname } = useLocation();
  const name = `${pathname} ${Object.keys(initial)}`;
  const [values, setValues] = useState(() => ({ ...initial, ...draftOf<V>(name) }));
  const [errors, setErrors] = useState<Errors<V>>({});
  const [failures, setFailures] = useState(0);

  // In the same step as the error appears: later, what is typed meanwhile would go elsewhere.
  useLayoutEffect(() => {
    if (failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  useDraft(name, values);

  const setValue = (name: keyof V, value: string) => {
    setValues((current) => ({ ...current, [name]: value }));
    setErrors((current) => ({ ...current, [name]: undefined }));
  };

  /** Shows errors from the server. */
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
    /** Checks a field as soon as it is left with an entry. Not for the last one: the error would move the button. */
    leaveProps: (name: keyof V) => ({
      onBlur: () => {
        if (values[name] !== '') setErrors((current) => ({ ...current, [name]: check(values)[name] }));
      },
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

/** Keeps a draft if the form unmounts because the session ended. */
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
