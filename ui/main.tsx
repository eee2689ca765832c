// The entry of the console: checks the browser, loads the language, and renders the app.
import { render } from 'preact'
import { App } from './app.tsx'
import { loadWords, words } from './words/index.ts'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')
await loadWords(document.documentElement.lang)
const missing = missingFeature()
if (missing) render(<p class="sentence">{words.shell.oldBrowser(missing)}</p>, root)
else render(<App />, root)

function missingFeature(): string | null {
  if (typeof HTMLDialogElement === 'undefined') return 'dialog'
  if (!('popover' in HTMLElement.prototype)) return 'popover'
  if (!('toSorted' in Array.prototype)) return 'ES2023'
  return null
}
