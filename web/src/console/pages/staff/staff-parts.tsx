import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { useStaff } from '../../session/use-staff';
import { useList } from '../../table/use-list';
import { Badge } from '../../ui/badge';
import { Moment } from '../../ui/moment';

export type ListedStaff = components['schemas']['ListedStaff'];

export const ROLES = ['admin', 'support', 'finance', 'operator'] as const;

export function StaffIdentity({ member }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  const { id } = useStaff();
  return (
    <>
      {member.username} {member.id === id ? <Badge tone="info">{t('staff.you')}</Badge> : null}
    </>
  );
}

export function RoleName({ role }: { role: ListedStaff['role'] }) {
  const { t } = useTranslation('console');
  return t(`staff.roles.${role}`);
}

export function StaffState({ state }: { state: ListedStaff['state'] }) {
  const { t } = useTranslation('console');
  return <Badge tone={state === 'active' ? 'good' : 'bad'}>{t(`staff.states.${state}`)}</Badge>;
}

/** The second factors of a member; a waiting mark where there is none. */
export function Factor({ member: { has_second_factor, has_totp, passkeys } }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  if (!has_second_factor) return <Badge tone="waiting">{t('staff.factor_off')}</Badge>;
  return (
    <>
      {has_totp ? <Badge tone="good">{t('staff.factor_app')}</Badge> : null}{' '}
      {passkeys > 0 ? <Badge tone="good">{t('staff.factor_passkeys', { count: passkeys })}</Badge> : null}
    </>
  );
}

export function OneTime({ member }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  return member.must_change_password ? <Badge tone="waiting">{t('staff.pending')}</Badge> : null;
}

export function LastLogin({ member }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  return member.last_login_at === null ? t('staff.never') : <Moment at={member.last_login_at} />;
}

export function Maker({ member }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  const nameOf = useStaffNames();
  return member.made_by === null ? t('staff.founder') : nameOf(member.made_by);
}

/** Who confirmed the account. Founders need nobody. */
export function Confirmer({ member }: { member: ListedStaff }) {
  const { t } = useTranslation('console');
  const nameOf = useStaffNames();
  if (member.confirmed_by !== null) return nameOf(member.confirmed_by);
  return isUnconfirmed(member) ? <Badge tone="waiting">{t('staff.unconfirmed')}</Badge> : t('list.none');
}

export function isUnconfirmed(member: ListedStaff): boolean {
  return member.made_by !== null && member.confirmed_by === null;
}

/** The names of the members in the list that the page has read; the id of somebody who is not there. */
export function useStaffNames(): (id: string) => string {
  const { data } = useList('/admin/staff/list', {});
  const names = new Map(data?.map(({ id, username }) => [id, username]));
  return (id) => names.get(id) ?? id;
}
