import { Gift, Megaphone, Wrench } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Notification } from '@/lib/api/types';
import { cx } from '@/ui/cx';
import styles from './notification-item.module.css';

const icons = { announcement: Megaphone, maintenance: Wrench, activity: Gift } as const;

type Props = { notification: Notification; onRead: () => void };

/** A notification. Opening it marks it as read. */
export function NotificationItem({ notification, onRead }: Props) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  const { category, title, content, read, time } = notification;
  const Icon = icons[category];

  const toggle = () => {
    setIsOpen(!isOpen);
    if (!read) onRead();
  };
  return (
    <li className={cx(styles.item, !read && styles.unread)}>
      <button
        type="button"
        className={styles.button}
        aria-expanded={isOpen}
        aria-controls={contentId}
        onClick={toggle}
      >
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
          {t(`notifications.category.${category}`)} · <time dateTime={time}>{moment(time)}</time>
        </span>
      </button>
      <p id={contentId} className={styles.content} hidden={!isOpen}>
        {content}
      </p>
    </li>
  );
}
