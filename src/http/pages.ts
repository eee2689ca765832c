// Headers of every HTML page that the service serves, and the theme of the reader.

/** Only files of this server are loaded, and no text ever becomes a script. */
const POLICY: Record<string, string> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'font-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'form-action': "'self'",
  'require-trusted-types-for': "'script'",
}

/** The policy of our pages with the changes that a page needs; null leaves a directive out. */
export function contentSecurityPolicy(changes: Record<string, string | null> = {}): string {
  return Object.entries({ ...POLICY, ...changes })
    .flatMap(([directive, sources]) => (sources === null ? [] : [`${directive} ${sources}`]))
    .join('; ')
}

export const PAGE_HEADERS = {
  'content-security-policy': contentSecurityPolicy(),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Null where the page follows the system. */
export type Theme = 'light' | 'dark' | null

/** The console keeps the choice in a cookie. */
export function readTheme(cookies: string | undefined): Theme {
  const [, theme] = /(?:^|; ?)hulaki-theme=(light|dark)(?:;|$)/.exec(cookies ?? '') ?? []
  return theme === 'light' || theme === 'dark' ? theme : null
}
