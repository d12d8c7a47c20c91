/** Rejects only what is certainly not an address. The server decides. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text);
}

/** Rejects only what is certainly not a phone number, whatever its spacing. */
export function isPhone(text: string): boolean {
  return /^\+?\d{5,15}$/.test(text.replace(/[\s().-]/g, ''));
}
