/** What a login password may be as long as; the server's own bounds. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
