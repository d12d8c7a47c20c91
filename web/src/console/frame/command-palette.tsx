import { useState } from 'react';
import {
  Autocomplete,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  SearchField,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useFoundUsers } from '../api/use-found-users';
import type { PageSpec } from '../pages';
import { useMay } from '../session/use-staff';
import { Dialog } from '../ui/dialog';
import styles from './command-palette.module.css';

/** Users are looked up from this many characters on. */
const LOOK_UP_FROM = 2;
const USERS_SHOWN = 8;

type Props = { pages: readonly PageSpec[]; onClose: () => void };

/** Goes to a page, or to a user by name, id, licence key or phone, from wherever one is. */
export function CommandPalette({ pages, onClose }: Props) {
  const { t } = useTranslation('console');
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const may = useMay();
  const { users } = useFoundUsers(typed, {
    limit: USERS_SHOWN,
    from: LOOK_UP_FROM,
    enabled: may('GET /admin/user/list'),
  });
  const wanted = typed.trim().toLocaleLowerCase();
  const found = pages
    .filter(({ group }) => group !== null)
    .map(({ path, title }) => ({ path, title: t(title) }))
    .filter(({ title }) => title.toLocaleLowerCase().includes(wanted));
  const go = (path: string) => {
    onClose();
    navigate(path);
  };
  return (
    <Dialog title={t('frame.palette_title')} onClose={onClose}>
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <div className={styles.box}>
          <SearchField aria-label={t('frame.palette_hint')} autoFocus>
            <Input className={styles.input ?? ''} placeholder={t('frame.palette_hint')} />
          </SearchField>
          <ListBox
            className={styles.list ?? ''}
            aria-label={t('frame.palette_title')}
            onAction={(path) => go(String(path))}
            renderEmptyState={() => <p className={styles.none}>{t('frame.palette_none')}</p>}
          >
            {found.length > 0 ? (
              <ListBoxSection>
                <Header className={styles.heading}>{t('frame.palette_pages')}</Header>
                {found.map(({ path, title }) => (
                  <ListBoxItem key={path} id={path} textValue={title} className={styles.item ?? ''}>
                    {title}
                  </ListBoxItem>
                ))}
              </ListBoxSection>
            ) : null}
            {users.length > 0 ? (
              <ListBoxSection>
                <Header className={styles.heading}>{t('frame.palette_users')}</Header>
                {users.map((user) => (
                  <ListBoxItem
                    key={user.id}
                    id={`/users/${user.id}`}
                    textValue={user.username}
                    className={styles.item ?? ''}
                  >
                    <span>{user.username}</span>
                    <span className="mono">{user.payment_reference}</span>
                  </ListBoxItem>
                ))}
              </ListBoxSection>
            ) : null}
          </ListBox>
        </div>
      </Autocomplete>
    </Dialog>
  );
}
