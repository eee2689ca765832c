// Headers of every HTML page that the service serves, and the theme of the reader.

/** Allows only files of this server, and no text that becomes a script. */
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

/** The default policy with the changes of one page; null removes a directive. */
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

/** Null follows the system. */
export type PageTheme = 'light' | 'dark' | null

/** The console stores the theme in a cookie. */
export function readTheme(cookies: string | undefined): PageTheme {
  const [, theme] = /(?:^|; ?)hulaki-theme=(light|dark)(?:;|$)/.exec(cookies ?? '') ?? []
  return theme === 'light' || theme === 'dark' ? theme : null
}
