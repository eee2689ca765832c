// The texts of the console, one file per language. All have the same shape, so that a missing text does not compile.
import type { Words } from './shape.ts'

export const LANGUAGES = { en: 'English', ne: 'नेपाली' } as const
export type Language = keyof typeof LANGUAGES

/** Filled before the first render. Another language needs a reload of the page. */
export const words = {} as Words

export async function loadWords(language: string): Promise<void> {
  Object.assign(words, language === 'ne' ? (await import('./ne.ts')).ne : (await import('./en.ts')).en)
}
