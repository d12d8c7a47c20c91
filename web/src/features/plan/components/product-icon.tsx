import { useState } from 'react';
import { cx } from '@/ui/cx';
import { hueOf } from '../rules';
import styles from './product-icon.module.css';

type Props = { name: string; url: string | null | undefined; large?: boolean };

/** The product's picture, or its initial on a colour derived from its name. */
export function ProductIcon({ name, url, large }: Props) {
  const [failed, setFailed] = useState(false);
  const size = large ? 64 : 44;
  if (url && !failed) {
    return (
      <img
        className={cx(styles.icon, large && styles.large)}
        src={url}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={() => setFailed(true)}
      />
    );
  }
  return (
    <span
      className={cx(styles.icon, styles.initial, large && styles.large)}
      style={{ '--hue': String(hueOf(name)) } as Record<string, string>}
      aria-hidden="true"
    >
      {[...name.trim()][0]?.toUpperCase() ?? ''}
    </span>
  );
}
