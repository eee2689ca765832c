// The texts of the console, one file per language. All have the same shape, so that a missing text does not compile.
import type { Words } from './shape.ts'

export const LANGUAGES = { en: 'English', ne: 'नेपाली' } as const
export type Language = keyof typeof LANGUAGES

/** Filled before the first render, and for some screens and dialogs when they are opened. Another language needs a reload of the page. */
export const words = {} as Words

let chosen = ''

export async function loadWords(language: string): Promise<void> {
  chosen = language
  Object.assign(words, language === 'ne' ? (await import('./ne.ts')).ne : (await import('./en.ts')).en)
}

/** The texts of the operator's screens: most readers never need them. */
export async function loadServiceWords(): Promise<void> {
  Object.assign(
    words,
    chosen === 'ne' ? (await import('./ne-service.ts')).neService : (await import('./en-service.ts')).enService,
  )
}

/** The texts of the dialog that sends a message. */
export async function loadSendWords(): Promise<void> {
  Object.assign(words, chosen === 'ne' ? (await import('./ne-send.ts')).neSend : (await import('./en-send.ts')).enSend)
}

/** The texts of the search that ⌘K opens. */
export async function loadPaletteWords(): Promise<void> {
  Object.assign(
    words,
    chosen === 'ne' ? (await import('./ne-palette.ts')).nePalette : (await import('./en-palette.ts')).enPalette,
  )
}

/** The texts of toasts. */
export async function loadToastWords(): Promise<void> {
  Object.assign(
    words,
    chosen === 'ne' ? (await import('./ne-toasts.ts')).neToasts : (await import('./en-toasts.ts')).enToasts,
  )
}

/** The texts of the bar and the dialogs for selected messages. */
export async function loadBulkWords(): Promise<void> {
  Object.assign(words, chosen === 'ne' ? (await import('./ne-bulk.ts')).neBulk : (await import('./en-bulk.ts')).enBulk)
}

/** The texts of the API log, of replies and of the audit log. */
export async function loadLogWords(): Promise<void> {
  Object.assign(words, chosen === 'ne' ? (await import('./ne-log.ts')).neLog : (await import('./en-log.ts')).enLog)
}

/** The texts of usage, billing and credit. */
export async function loadBillingWords(): Promise<void> {
  Object.assign(
    words,
    chosen === 'ne' ? (await import('./ne-billing.ts')).neBilling : (await import('./en-billing.ts')).enBilling,
  )
}
