// The theme and language of this browser. They are cookies, so that the first paint is already right.
const YEAR = 31_536_000

export type Theme = 'system' | 'light' | 'dark'

export function chosenTheme(): Theme {
  return (document.documentElement.dataset.theme as Theme | undefined) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  setCookie('hulaki-theme', theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Reloads the page, since all its texts are in one language. */
export function chooseLanguage(language: string): void {
  setCookie('hulaki-language', language)
  location.reload()
}

function setCookie(name: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the other way to set one is not in every browser
  document.cookie = `${name}=${value}; path=/console; max-age=${YEAR}; samesite=lax${secure}`
}
