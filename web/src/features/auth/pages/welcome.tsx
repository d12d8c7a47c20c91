import { useMutation } from '@tanstack/react-query';
import { ChartNoAxesColumn, ShieldCheck, Wallet } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { useErrorText } from '@/i18n/error-text';
import { useIntentionKey } from '@/lib/idempotency';
import { openedBy } from '@/lib/session/store';
import { useSession } from '@/lib/session/use-session';
import { Button } from '@/ui/button';
import { cx } from '@/ui/cx';
import { TextField } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { toast } from '@/ui/toast';
import { useForm } from '@/ui/use-form';
import { openStore } from '../api/calls';
import { Brand } from '../components/brand';
import { NoCode } from '../components/no-code';
import { OtherForm } from '../components/other-form';
import { keepCode, keptCode } from '../kept-code';
import { useSessionStart } from '../use-session-start';
import styles from './welcome.module.css';

const POINTS = [
  { key: 'auth.welcome_point_place', Icon: ChartNoAxesColumn },
  { key: 'auth.welcome_point_account', Icon: Wallet },
  { key: 'auth.welcome_point_figures', Icon: ShieldCheck },
] as const;

/**
 * Takes the authorisation code. With a session, as from a host app, it opens the ad account; a visitor goes on to the
 * registration with it.
 */
export default function WelcomePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search } = useLocation();
  const [query] = useSearchParams();
  const session = useSession();
  const startSession = useSessionStart();
  const errorText = useErrorText();
  const key = useIntentionKey();
  const token = query.get('token') ?? session.token ?? undefined;
  const form = useForm({ code: keptCode() }, (values) => ({
    code: values.code.trim() === '' ? t('auth.error.code_required') : undefined,
  }));
  const mutation = useMutation({
    mutationFn: (code: string) => openStore(code, token, key.for(code)),
    meta: { inline: true },
    onSettled: (_session, error) => key.settle(error),
    onSuccess: (opened) => {
      keepCode(null);
      startSession(opened, openedBy());
      toast(t('auth.store_opened'));
      navigate('/ad-center', { replace: true });
    },
    onError: (error) => form.reject({ code: errorText(error) }),
  });

  const submit = (code: string) => {
    if (token) {
      mutation.mutate(code);
      return;
    }
    keepCode(code);
    navigate(`/register${search}`);
  };

  return (
    <div className={cx(styles.page, styles.covered)}>
      <div className={styles.welcome}>
        <Brand />
        <div className={stack.gap2}>
          <h1 className={styles.title}>{t('auth.welcome_title')}</h1>
          <p className={styles.lead}>{t('auth.welcome_lead')}</p>
        </div>
        <ul className={styles.steps}>
          {POINTS.map(({ key: point, Icon }) => (
            <li key={point}>
              <Icon size={20} aria-hidden="true" />
              {t(point)}
            </li>
          ))}
        </ul>
      </div>
      <form className={stack.gap4} {...form.formProps(({ code }) => submit(code.trim()))}>
        <TextField
          {...form.fieldProps('code')}
          label={t('auth.license_key')}
          hint={t('auth.license_hint')}
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
        />
        <NoCode />
        <Button type="submit" large wide busy={mutation.isPending}>
          {t(token ? 'auth.open_account' : 'auth.register')}
        </Button>
      </form>
      {token ? null : (
        <OtherForm question={t('auth.have_account')} to={`/login${search}`} action={t('auth.login')} />
      )}
    </div>
  );
}
