/** The server's bounds for the length of a login password. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;
