// Every text the console shows, in the reader's language: one file each, of the same shape, so that a missing text does not compile.
import type { Words } from './shape.ts'

export const LANGUAGES = { en: 'English', ne: 'नेपाली' } as const
export type Language = keyof typeof LANGUAGES

/** Filled before anything is rendered; another language is another load of the page. */
export const words = {} as Words

export async function loadWords(language: string): Promise<void> {
  Object.assign(words, language === 'ne' ? (await import('./ne.ts')).ne : (await import('./en.ts')).en)
}
