// The languages of the console, of mails and of statements.

export const LANGUAGES = ['en', 'ne'] as const
export type Language = (typeof LANGUAGES)[number]
