import {
  ChevronRight,
  Gift,
  Layers,
  type LucideIcon,
  Megaphone,
  ShieldAlert,
  Wallet,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { Notification } from '@/lib/api/types';
import { targetPath } from '@/lib/notice-place';
import { cx } from '@/ui/cx';
import styles from './notification-item.module.css';

const KIND_ICONS = { money: Wallet, plan: Layers, security: ShieldAlert } as const;
const CATEGORY_ICONS = { announcement: Megaphone, maintenance: Wrench, activity: Gift } as const;

type Props = { notification: Notification; onRead: () => void };

/** A notification. A tap marks it as read and leads to what it is about; without that, it opens the text. */
export function NotificationItem({ notification, onRead }: Props) {
  const { content, kind, read, target } = notification;
  const path = targetPath(target);
  const markRead = () => {
    if (!read) onRead();
  };
  return (
    <li className={cx(styles.item, !read && styles.unread, kind === 'security' && styles.security)}>
      {path ? (
        <Link className={styles.row} to={path} onClick={markRead}>
          <Head notification={notification} />
          <p className={styles.preview}>{content}</p>
          <ChevronRight className={styles.arrow} size={18} aria-hidden="true" />
        </Link>
      ) : (
        <Unfolding notification={notification} onOpen={markRead}>
          {content}
        </Unfolding>
      )}
    </li>
  );
}

type UnfoldingProps = { notification: Notification; onOpen: () => void; children: ReactNode };

function Unfolding({ notification, onOpen, children }: UnfoldingProps) {
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  const toggle = () => {
    setIsOpen(!isOpen);
    onOpen();
  };
  return (
    <>
      <button
        type="button"
        className={styles.row}
        aria-expanded={isOpen}
        aria-controls={contentId}
        onClick={toggle}
      >
        <Head notification={notification} />
      </button>
      <p id={contentId} className={styles.content} hidden={!isOpen}>
        {children}
      </p>
    </>
  );
}

function Head({ notification: { category, kind, title, read, time } }: { notification: Notification }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  // Only what staff write, and coupons, are named and drawn by their category.
  const isOffer = kind === 'offer';
  const Icon: LucideIcon = isOffer ? CATEGORY_ICONS[category] : KIND_ICONS[kind];
  return (
    <>
      <span className={styles.icon}>
        <Icon size={20} aria-hidden="true" />
      </span>
      <span className={styles.title}>{title}</span>
      {read ? (
        <span />
      ) : (
        <span className={styles.dot}>
          <span className="visually-hidden">{t('notifications.filter.unread')}</span>
        </span>
      )}
      <span className={styles.meta}>
        {isOffer ? t(`notifications.category.${category}`) : t(`notifications.kind.${kind}`)} ·{' '}
        <time dateTime={time}>{moment(time)}</time>
      </span>
    </>
  );
}
