import { useQuery } from '@tanstack/react-query';
import { Camera, Trash2 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { basicConfigQuery } from '@/domain/basic-config';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import { ApiError } from '@/lib/api/error';
import type { UserInfo } from '@/lib/api/types';
import { draftOf, keepDraft } from '@/lib/drafts';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { FormAlert, TextField } from '@/ui/field';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { PickButton } from '@/ui/upload/pick-button';
import { Thumbnail } from '@/ui/upload/thumbnail';
import { UploadState } from '@/ui/upload/upload-state';
import { DEFAULT_MAX_BYTES, type Upload, useUploads } from '@/ui/upload/use-uploads';
import { useForm } from '@/ui/use-form';
import { useEditProfile } from '../api/profile';
import {
  checkProfile,
  initialsOf,
  NICKNAME_MAX,
  nameOf,
  PROFILE_DRAFT,
  type ProfileValues,
  profileChange,
  profileFieldOf,
} from '../rules';
import styles from './profile-sheet.module.css';

type Props = { user: UserInfo; onClose: () => void };

/** The editable and the fixed data of the account. */
export default function ProfileSheet({ user, onClose }: Props) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const formId = useId();
  const { form, avatar, submit, alert, isSaving } = useProfile(user, onClose);
  const confirmation =
    user.email && t(user.email_confirmed ? 'security.email.confirmed' : 'security.email.unconfirmed');
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t('account.profile')}
      footer={
        <Button type="submit" form={formId} large wide busy={isSaving}>
          {t('account.save')}
        </Button>
      }
    >
      <form id={formId} className={stack.gap4} {...form.formProps(submit)}>
        <FormAlert>{alert}</FormAlert>
        <AvatarField user={user} avatar={avatar} />
        <TextField
          {...form.fieldProps('nickname')}
          label={t('account.nickname')}
          maxLength={NICKNAME_MAX}
          autoComplete="nickname"
        />
        <TextField
          {...form.fieldProps('email')}
          label={t('account.email')}
          hint={form.values.email === user.email ? confirmation : null}
          type="email"
          inputMode="email"
          autoComplete="email"
        />
        <TextField
          {...form.fieldProps('phone')}
          label={t('account.phone')}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
        />
        <section className={styles.fixed} aria-label={t('account.fixed')}>
          <Rows>
            <Row label={t('account.username')}>{user.username}</Row>
            <Row label={t('account.licence')}>{user.licenseKey ?? t('account.no_licence')}</Row>
            <Row label={t('account.member_since')}>{date(user.created_at)}</Row>
          </Rows>
        </section>
      </form>
    </Sheet>
  );
}

type AvatarChoice = ReturnType<typeof useAvatar>;

function useAvatar() {
  const { i18n } = useTranslation();
  const config = useQuery(basicConfigQuery(i18n.language)).data;
  const { items, add, clear } = useUploads(config?.upload_max_bytes ?? DEFAULT_MAX_BYTES);
  const [isRemoved, setRemoved] = useState(false);
  const chosen: Upload | undefined = items[0];
  return {
    chosen,
    isRemoved,
    pick: (files: File[]) => {
      clear();
      setRemoved(false);
      add(files.slice(0, 1));
    },
    remove: () => {
      // Removes the new picture first, then the saved one.
      if (!chosen) setRemoved(true);
      clear();
    },
    /** The file id to save; undefined keeps the saved picture. */
    fileId: chosen?.uploaded?.id ?? (isRemoved ? '' : undefined),
  };
}

function AvatarField({ user, avatar }: { user: UserInfo; avatar: AvatarChoice }) {
  const { t } = useTranslation();
  const { chosen, isRemoved } = avatar;
  const url = isRemoved ? null : user.avatar_url;
  return (
    <fieldset className={styles.avatar}>
      <legend className="visually-hidden">{t('account.avatar')}</legend>
      <div className={styles.picture}>
        {chosen?.file && chosen.state !== 'failed' ? (
          <Thumbnail round file={chosen.file} url={undefined} />
        ) : (
          <Avatar large url={url} initials={initialsOf(nameOf(user))} />
        )}
      </div>
      <div className={styles.choose}>
        <div className={styles.buttons}>
          <PickButton label={t('account.change_avatar')} onPick={avatar.pick}>
            <span className={styles.change} aria-hidden="true">
              <Camera size={18} />
              {t('account.change_avatar')}
            </span>
          </PickButton>
          {chosen || url ? (
            <Button tone="danger" onClick={avatar.remove}>
              <Trash2 size={18} aria-hidden="true" />
              {t('account.remove_avatar')}
            </Button>
          ) : null}
        </div>
        {chosen ? <UploadState item={chosen} /> : null}
      </div>
    </fieldset>
  );
}

function useProfile(user: UserInfo, onSaved: () => void) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const edit = useEditProfile();
  const avatar = useAvatar();
  const [note, setNote] = useState<string | null>(null);
  // A second tap may arrive before React disables the button.
  const running = useRef(false);
  const current: ProfileValues = { nickname: user.nickname, email: user.email, phone: user.phone };
  const form = useForm({ ...current, ...draftOf<ProfileValues>(PROFILE_DRAFT) }, (values) => {
    setNote(null);
    return Object.fromEntries(
      Object.entries(checkProfile(values, current)).map(([name, error]) => [
        name,
        error && t(`account.error.${error}`),
      ]),
    );
  });
  const { values } = form;
  useEffect(() => keepDraft(PROFILE_DRAFT, values), [values]);

  const submit = (checked: ProfileValues) => {
    if (running.current) return;
    if (avatar.chosen?.state === 'uploading') {
      setNote(t('account.upload_pending'));
      return;
    }
    const change = profileChange(checked, current, avatar.fileId);
    if (!change) {
      setNote(t('account.nothing_changed'));
      return;
    }
    running.current = true;
    edit.mutate(change, {
      onSuccess: () => {
        toast(t('account.success'));
        onSaved();
      },
      onError: (error) => {
        const field = fieldOf(error);
        if (field) form.reject({ [field]: errorText(error) });
      },
      onSettled: () => {
        running.current = false;
      },
    });
  };
  const failure = edit.isError && !fieldOf(edit.error) ? errorText(edit.error) : null;
  return { form, avatar, submit, alert: note ?? failure, isSaving: edit.isPending };
}

function fieldOf(error: unknown): keyof ProfileValues | null {
  return error instanceof ApiError ? profileFieldOf(error.field) : null;
}
