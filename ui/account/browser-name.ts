// The browser and system that a user agent names.
import { words } from '../words/index.ts'

// In this order: user agents of later ones are also in those of earlier ones.
const BROWSERS = {
  Edge: /Edg/,
  Opera: /OPR\//,
  Firefox: /Firefox\/|FxiOS\//,
  Chrome: /Chrome\/|CriOS\//,
  Safari: /Safari\//,
}
const SYSTEMS = {
  Android: /Android/,
  iOS: /iPhone|iPad/,
  Windows: /Windows/,
  macOS: /Mac OS X/,
  ChromeOS: /CrOS/,
  Linux: /Linux/,
}

/** The user agent itself where it names no known browser, such as that of a program. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return '–'
  const [browser, system] = [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)]
  if (browser === undefined) return userAgent
  return system === undefined ? browser : words.account.browserOn(browser, system)
}

function nameIn(patterns: Record<string, RegExp>, userAgent: string): string | undefined {
  return Object.keys(patterns).find((name) => patterns[name]?.test(userAgent))
}
