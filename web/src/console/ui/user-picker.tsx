import { type Ref, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import type { UserInfo } from '@/lib/api/types';
import { FieldError } from '@/ui/field';
import { useFoundUsers } from '../api/use-found-users';
import styles from './user-picker.module.css';

const USERS_SHOWN = 8;

/** A user that was picked, as far as forms need to know them. */
export type PickedUser = Pick<UserInfo, 'id' | 'username' | 'nickname'>;

type Props = {
  label: string;
  picked: PickedUser | null;
  onPick: (user: PickedUser | null) => void;
  onBlur?: () => void;
  inputRef?: Ref<HTMLInputElement>;
  error?: string | undefined;
  hint?: string | undefined;
  optional?: boolean | undefined;
};

/** Finds one user by name or id. Those who see e-mail addresses find them by these, too. */
export function UserPicker({ label, picked, onPick, onBlur, inputRef, error, hint, optional }: Props) {
  const { t } = useTranslation('console');
  const { t: shared } = useTranslation();
  const [typed, setTyped] = useState(picked?.username ?? '');
  const { users, isPending, error: failure } = useOffered(typed, picked);
  const errorText = useErrorText();
  // With both its text and its value given from here, the box changes neither by itself.
  const pick = (id: string | null) => {
    const user = users.find((found) => found.id === id) ?? null;
    setTyped(user?.username ?? '');
    onPick(user);
  };
  const type = (text: string) => {
    setTyped(text);
    if (text === '') onPick(null);
  };
  return (
    <ComboBox
      className={styles.picker ?? ''}
      items={users}
      inputValue={typed}
      onInputChange={type}
      value={picked?.id ?? null}
      onChange={(id) => pick(id === null ? null : String(id))}
      allowsEmptyCollection
      isInvalid={error !== undefined}
      isRequired={!optional}
      validationBehavior="aria"
      {...(onBlur ? { onBlur } : {})}
    >
      <Label className={styles.label ?? ''}>
        {label}
        {optional ? <span className={styles.optional}> {shared('common.optional')}</span> : null}
      </Label>
      <Input
        {...(inputRef ? { ref: inputRef } : {})}
        className={styles.input ?? ''}
        placeholder={t('users.picker.hint')}
        autoCapitalize="none"
        spellCheck={false}
      />
      {error ? <FieldError>{error}</FieldError> : null}
      {hint ? <p className={styles.hint}>{hint}</p> : null}
      <Popover className={styles.popover ?? ''}>
        <ListBox<PickedUser>
          className={styles.list ?? ''}
          renderEmptyState={() => (
            <p className={styles.none}>
              {failure ? errorText(failure) : t(isPending ? 'users.picker.looking' : 'users.picker.none')}
            </p>
          )}
        >
          {(user) => (
            <ListBoxItem id={user.id} textValue={user.username} className={styles.item ?? ''}>
              <span>{user.username}</span>
              <span className={styles.nickname}>{user.nickname}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** Who matches what is typed. The one who is picked stays among them: the field shows their name. */
function useOffered(typed: string, picked: PickedUser | null) {
  const { users, isPending, error } = useFoundUsers(typed, { limit: USERS_SHOWN });
  const isThere = picked === null || users.some(({ id }) => id === picked.id);
  return { users: isThere ? users : [picked, ...users], isPending, error };
}
