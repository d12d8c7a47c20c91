import type { ParseKeys } from 'i18next';

/** A key of the console's texts, such as `users.title`. */
export type ConsoleKey = ParseKeys<'console'>;
