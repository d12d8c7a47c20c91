type Props = { size?: number };

/** The logo. Decorative, because the name stands beside it. */
export function LogoMark({ size = 40 }: Props) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b5f50" />
      <path d="M7 24 14.2 8h3.6L10.6 24Z" fill="#fff" />
      <path d="M17.8 8 25 24h-3.6l-5.4-12Z" fill="#7fe0c3" />
      <path d="M13.6 18h5l1.4 3.2h-7.8Z" fill="#f4b740" />
    </svg>
  );
}
