import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { FormAlert, TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { announce } from '../../act/announce';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { makePasskey } from '../../session/passkey';
import { usePasskeyErrorText } from '../../session/passkey-error-text';
import { updateStaff } from '../../session/store';
import { useStaff } from '../../session/use-staff';

const NAME_LIMIT = 64;

/** Makes a passkey on a device of the member. Like an authenticator app it may be the first second factor. */
export function AddPasskey() {
  const { t } = useTranslation('console');
  const errorText = usePasskeyErrorText();
  const queryClient = useQueryClient();
  const { passkeys } = useStaff();
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const add = useMutation({
    mutationFn: async () => {
      const made = await makePasskey(await staffPost('/admin/passkey/registration', {}));
      return staffPost('/admin/passkey/register', { ...made, name: name.trim() });
    },
    onSuccess: async (passkey) => {
      announce({ text: t('own_security.passkeys.added_done', { name: passkey.name }) });
      setName('');
      // The list says how many there are, so it is read anew first.
      await queryClient.invalidateQueries({ queryKey: consoleKeys.one('/admin/passkeys') });
      updateStaff({ has_second_factor: true, passkeys: passkeys + 1 });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isEmpty = name.trim() === '';
    setMissing(isEmpty);
    if (isEmpty) field.current?.focus();
    else add.mutate();
  };
  return (
    <form className={stack.gap4} noValidate onSubmit={submit}>
      <TextField
        ref={field}
        label={t('own_security.passkeys.name')}
        hint={t('own_security.passkeys.name_hint')}
        error={isMissing ? t('own_security.passkeys.name_required') : undefined}
        maxLength={NAME_LIMIT}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
      />
      <FormAlert>{add.error ? errorText(add.error) : null}</FormAlert>
      <div>
        <Button type="submit" busy={add.isPending}>
          {t('own_security.passkeys.add')}
        </Button>
      </div>
    </form>
  );
}
