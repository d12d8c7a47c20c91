import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type PickedUser, UserPicker } from '../ui/user-picker';

type Props = {
  name: string;
  label: string;
  hint?: string;
  optional?: boolean;
  /** The user of the value, which is an id or '': acts show a name in what they change. */
  picked: PickedUser | null;
  onPick: (user: PickedUser | null) => void;
};

/** A user as an input of an act. The value is the user's id; '' for nobody. */
export function UserInput({ name, onPick, ...props }: Props) {
  const { t } = useTranslation('console');
  const { field, fieldState } = useController({ name });
  const { error } = fieldState;
  return (
    <UserPicker
      {...props}
      onPick={(user) => {
        field.onChange(user?.id ?? '');
        onPick(user);
      }}
      onBlur={field.onBlur}
      // A form that refuses the value puts the focus here.
      inputRef={field.ref}
      error={error ? (error.type === 'server' ? error.message : undefined) || t('act.required') : undefined}
    />
  );
}
