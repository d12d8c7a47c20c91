import { Headset, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import type { AcceptorKind } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { useForm } from '@/ui/use-form';
import { type Found, useFindAcceptor } from '../api/queries';

/** A code that was refused when the order was placed. */
export type RefusedCode = { code: string; text: string };

type Props = { kind: AcceptorKind; refused: RefusedCode | null; onFound: (found: Found) => void };

export function CodeForm({ kind, refused, onFound }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const service = useService();
  const find = useFindAcceptor();
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm({ code: refused?.code ?? '' }, ({ code }) => ({
    code: code.trim() === '' ? t('exchange.error.code_required') : undefined,
  }));
  const latest = useRef(form);
  latest.current = form;

  // biome-ignore lint/correctness/useExhaustiveDependencies: messages about a code belong to the kind it was tried for
  useEffect(() => {
    const { setValue, reject, values } = latest.current;
    setFailure(null);
    if (refused) reject({ code: refused.text });
    else setValue('code', values.code);
  }, [kind, refused]);

  const submit = (typed: string) => {
    if (find.isPending) return;
    const code = typed.trim().toUpperCase();
    setFailure(null);
    find.mutate(
      { kind, code },
      {
        onSuccess: ({ acceptor, offer }) => onFound({ kind, code, acceptor, offer, amount: '' }),
        onError: (error) => {
          if (error instanceof ApiError && error.field === 'code') form.reject({ code: errorText(error) });
          else setFailure(errorText(error));
        },
      },
    );
  };
  return (
    <form className={stack.gap4} {...form.formProps(({ code }) => submit(code))}>
      <TextField
        {...form.fieldProps('code')}
        label={t('exchange.code')}
        hint={t('exchange.code_hint')}
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={64}
      />
      <FormAlert>{failure}</FormAlert>
      <Button type="submit" large wide busy={find.isPending}>
        {find.isPending ? null : <Search size={20} aria-hidden="true" />}
        {t('exchange.find')}
      </Button>
      <Button
        tone="quiet"
        onClick={() =>
          service.open({ subject: t('title.foreign_exchange'), subtitle: t('exchange.ask_code_text') })
        }
      >
        <Headset size={20} aria-hidden="true" />
        {t('exchange.ask_code')}
      </Button>
    </form>
  );
}
