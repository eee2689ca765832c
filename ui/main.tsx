// The entry of the console: looks whether the browser can do what is needed, loads the reader's language, shows the rest.
import { render } from 'preact'
import { App } from './app.tsx'
import { loadWords, words } from './words/index.ts'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')
await loadWords(document.documentElement.lang)
const missing = whatIsMissing()
if (missing) render(<p class="sentence">{words.shell.oldBrowser(missing)}</p>, root)
else render(<App />, root)

function whatIsMissing(): string | null {
  if (typeof HTMLDialogElement === 'undefined') return 'dialog'
  if (!('popover' in HTMLElement.prototype)) return 'popover'
  if (!('toSorted' in Array.prototype)) return 'ES2023'
  return null
}
