// Names and values as a form or a query has them, as people may see them (D60).
import type { Hider } from './hide.ts'

export function hideForm(text: string, hider: Hider, readNames: ReadonlySet<string>): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at < 0) return shown(pair, (word) => hider.word(word))
      const name = decoded(pair.slice(0, at))
      const value = shown(pair.slice(at + 1), (word) => hider.word(word, { name, isRead: readNames.has(name) }))
      return `${shown(pair.slice(0, at), (word) => hider.word(word))}=${value}`
    })
    .join('&')
}

/** As it was spelled, where nothing of it is hidden. */
function shown(spelled: string, hide: (word: string) => string): string {
  const word = decoded(spelled)
  const hidden = hide(word)
  return hidden === word ? spelled : encodeURIComponent(hidden.toWellFormed())
}

/** What is no UTF-8 is read as far as it goes. */
function decoded(spelled: string): string {
  return spelled
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
}
