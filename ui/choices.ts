// The choices of this browser: theme and language as cookies, so that the first paint is already right, and the time zone.
import { Store } from './parts/store.ts'

const YEAR = 31_536_000
const TIMES_KEY = 'hulaki-times'

export const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** The time zone of the workspace, of the browser, or UTC. */
export const TIMES = ['workspace', 'mine', 'utc'] as const
type Times = (typeof TIMES)[number]

export const chosenTimes = new Store<Times>(TIMES.find((it) => it === localStorage.getItem(TIMES_KEY)) ?? 'workspace')

export function chooseTimes(times: Times): void {
  localStorage.setItem(TIMES_KEY, times)
  chosenTimes.set(times)
}

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
  document.cookie = `${name}=${value}; path=/; max-age=${YEAR}; samesite=lax${secure}`
}
