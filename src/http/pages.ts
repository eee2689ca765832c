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

export const PAGE_HEADERS = {
  'content-security-policy': Object.entries(POLICY)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; '),
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

/** The logo of the console, inside the page: a file would be one more request. */
const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#2f55d4"/><path d="M6.75 5.5v13M17.25 5.5v13M6.75 10.25L12 14l5.25-3.75" fill="none" stroke="#fff" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/></svg>'
export const FAVICON_LINK = `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(FAVICON)}">`
