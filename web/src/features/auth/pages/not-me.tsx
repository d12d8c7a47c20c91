import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useService } from '@/domain/service/service-store';
import { useErrorText } from '@/i18n/error-text';
import { DISOWN_LINK_INVALID, hasReason } from '@/lib/api/error';
import { Button, LinkButton } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { stopPayouts } from '../api/calls';
import { Entrance } from '../components/entrance';

/** Where the link of a mail leads. Only the button stops anything: programs that look at mail open its links, too. */
export default function NotMePage() {
  const token = useTokenOfLink();
  // Another link that is opened in the same tab begins anew.
  return token ? <Question key={token} token={token} /> : <Spent />;
}

/** Takes the token out of the address, which a history or a screenshot keeps. */
function useTokenOfLink(): string | null {
  const [query, setQuery] = useSearchParams();
  const given = query.get('token');
  const [token, setToken] = useState(given);
  useEffect(() => {
    if (given === null) return;
    setToken(given);
    setQuery({}, { replace: true });
  }, [given, setQuery]);
  return token;
}

function Question({ token }: { token: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: stopPayouts,
    meta: { inline: true },
  });
  if (isSuccess) return <Outcome role="status" title={t('not_me.done_title')} lead={t('not_me.done_text')} />;
  if (hasReason(error, DISOWN_LINK_INVALID)) return <Spent />;
  return (
    <Entrance title={t('not_me.title')} lead={t('not_me.text')}>
      <div className={stack.gap4}>
        <FormAlert>{error ? errorText(error) : null}</FormAlert>
        <Button large wide busy={isPending} onClick={() => mutate(token)}>
          {t(error ? 'error.retry' : 'not_me.action')}
        </Button>
      </div>
    </Entrance>
  );
}

/** What has become of the link, and what to do next. */
function Outcome({ role, title, lead }: { role: 'status' | 'alert'; title: string; lead: string }) {
  return (
    <div role={role}>
      <Entrance title={title} lead={lead}>
        <NextSteps />
      </Entrance>
    </div>
  );
}

function Spent() {
  const { t } = useTranslation();
  return <Outcome role="alert" title={t('auth.link_expired')} lead={t('not_me.spent_text')} />;
}

function NextSteps() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <div className={stack.gap4}>
      <LinkButton to="/ad-center/security" replace large wide>
        {t('title.security')}
      </LinkButton>
      <Button tone="secondary" large wide onClick={() => service.open({ subject: t('not_me.title') })}>
        {t('error.contact_service')}
      </Button>
    </div>
  );
}
