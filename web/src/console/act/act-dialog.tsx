import { zodResolver } from '@hookform/resolvers/zod';
import { useRef, useState } from 'react';
import {
  type FieldValues,
  FormProvider,
  type Path,
  type UseFormReturn,
  useForm,
  useWatch,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/i18n/error-text';
import { ApiError, hasReason } from '@/lib/api/error';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import type { StaffPostPath } from '../api/call';
import { ClaimNote } from '../claim/claim-note';
import { useMay } from '../session/use-staff';
import { Dialog, DialogActions } from '../ui/dialog';
import type { Act, Change, Outcome } from './act';
import styles from './act-dialog.module.css';
import { announce } from './announce';
import { useProblemText, useSend } from './use-send';

/** The reason of a call that has asked a second person instead of acting. */
const APPROVAL_REQUIRED = 'APPROVAL_REQUIRED';

type Props<P extends StaffPostPath, V extends FieldValues> = { act: Act<P, V>; onClose: () => void };

/** The form of an act: what it needs, what it will change, and what came of it. */
export function ActDialog<P extends StaffPostPath, V extends FieldValues>({ act, onClose }: Props<P, V>) {
  const { t } = useTranslation('console');
  const may = useMay();
  const problemText = useProblemText();
  const [shown, setShown] = useState<Outcome | null>(null);
  const form = useForm<V, unknown, V>({ resolver: zodResolver(act.schema), defaultValues: act.initial });
  const sent = useRef<V>(null);
  const send = useSend(act.path, {
    touches: act.touches,
    onSuccess: (answer) => {
      if (sent.current !== null) finish(act.done(answer, sent.current));
    },
    onError: (error) => {
      if (!hasReason(error, APPROVAL_REQUIRED)) return showAtField(form, error);
      const isSameAct = act.secondPerson === 'same_act';
      const mayDecide = !isSameAct && may('GET /admin/approval/list');
      finish({
        text: `${t('act.asked_title')}. ${t(isSameAct ? 'act.asked_same' : 'act.asked_text')}`,
        links: mayDecide ? [{ label: t('act.see_approvals'), to: '/approvals' }] : [],
      });
    },
  });
  const submit = form.handleSubmit((values) => {
    sent.current = values;
    send.mutate(act.body(values));
  });
  const finish = (outcome: Outcome) => {
    if (outcome.result) {
      setShown(outcome);
    } else {
      announce(outcome);
      onClose();
    }
  };
  if (shown) {
    return (
      <Dialog title={act.title} onClose={onClose} forced wide={act.wide ?? false}>
        <p role="status">{shown.text}</p>
        {shown.result}
        <DialogActions>
          <Button onClick={onClose}>{t('act.close')}</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    // While the call is on its way its outcome would be lost with the dialog.
    <Dialog title={act.title} onClose={onClose} forced={send.isPending} wide={act.wide ?? false}>
      {act.item ? <ClaimNote {...act.item} /> : null}
      {act.intro ? <div className={styles.intro}>{act.intro}</div> : null}
      <FormProvider {...form}>
        <form className={styles.form} noValidate onSubmit={submit} autoComplete="off">
          {act.fields}
          <Changes act={act} form={form} />
          <FormAlert>{send.error && !isAtField(form, send.error) ? problemText(send.error) : null}</FormAlert>
          <DialogActions>
            <Button tone="quiet" disabled={send.isPending} onClick={onClose}>
              {t('act.cancel')}
            </Button>
            <Button
              type="submit"
              busy={send.isPending}
              {...(act.tone === undefined ? {} : { tone: act.tone })}
            >
              {act.submit}
            </Button>
          </DialogActions>
        </form>
      </FormProvider>
    </Dialog>
  );
}

type ChangesProps<P extends StaffPostPath, V extends FieldValues> = {
  act: Act<P, V>;
  form: UseFormReturn<V, unknown, V>;
};

/** What the act will change, as far as it is filled in. */
function Changes<P extends StaffPostPath, V extends FieldValues>({ act, form }: ChangesProps<P, V>) {
  const { t } = useTranslation('console');
  const typed = useWatch({ control: form.control });
  // The reason changes nothing, so it may still be missing.
  const checked = act.schema.safeParse({ ...typed, reason: typed.reason || '-' });
  const changes = checked.success ? act.changes(checked.data) : null;
  return (
    <section className={styles.changes} aria-label={t('act.changes')}>
      <h3 className={styles.heading}>{t('act.changes')}</h3>
      <div aria-live="polite">
        {changes === null ? (
          <p className={styles.none}>{t('act.nothing_yet')}</p>
        ) : (
          <dl className={styles.list}>
            {changes.map((change) => (
              <ChangeLine key={change.what} {...change} />
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}

function ChangeLine({ what, before, after }: Change) {
  const { t } = useTranslation('console');
  return (
    <div className={styles.line}>
      <dt>{what}</dt>
      <dd>
        {before === null ? null : (
          <>
            <span className="visually-hidden">{t('act.before')} </span>
            <span className={styles.before}>{before}</span>
            <span aria-hidden="true"> → </span>
            <span className="visually-hidden">{t('act.after')} </span>
          </>
        )}
        <span className={styles.after}>{after}</span>
      </dd>
    </div>
  );
}

type Form<V extends FieldValues> = UseFormReturn<V, unknown, V>;

/** The name of the input that a refusal is about; null if it is none of the form's. */
function fieldOf<V extends FieldValues>(form: Form<V>, error: unknown): Path<V> | null {
  if (!(error instanceof ApiError) || error.field === null) return null;
  const names = Object.keys(form.getValues());
  const name =
    names.find((known) => known === error.field) ??
    names.find((known) => error.field?.startsWith(`${known}.`));
  return (name as Path<V> | undefined) ?? null;
}

function isAtField<V extends FieldValues>(form: Form<V>, error: unknown): boolean {
  return fieldOf(form, error) !== null;
}

function showAtField<V extends FieldValues>(form: Form<V>, error: unknown): void {
  const name = fieldOf(form, error);
  if (name !== null)
    form.setError(name, { type: 'server', message: errorText(error) }, { shouldFocus: true });
}
