/** Only what is certainly no address is refused here; the server has the last word. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text);
}

/** The same for phone numbers, in whatever way they are spaced. */
export function isPhone(text: string): boolean {
  return /^\+?\d{5,15}$/.test(text.replace(/[\s().-]/g, ''));
}
