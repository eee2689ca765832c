// JSON as people may see it (D60), in the very words it came in but for what is hidden: read sign by sign, so that no id of twenty digits
// is rounded and what is broken is shown as far as it goes. Whatever is no JSON is a text.
import type { Hider } from './hide.ts'

/** Where something is read: steps of a pointer, null for each item of a list. */
export type ReadPlace = readonly (string | null)[]

type Frame = { kind: 'object'; name: string; isName: boolean } | { kind: 'list'; index: number }

const TOKEN = /[\s]+|[{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/sy

export function hideJson(text: string, hider: Hider, places: readonly ReadPlace[]): string {
  const path: Frame[] = []
  let shown = ''
  let from = 0
  while (from < text.length) {
    TOKEN.lastIndex = from
    const token = TOKEN.exec(text)?.[0]
    if (token === undefined) return shown + hider.text(text.slice(from))
    shown += shownToken(token, { path, hider, places })
    from += token.length
  }
  return shown
}

function shownToken(
  token: string,
  { path, hider, places }: { path: Frame[]; hider: Hider; places: readonly ReadPlace[] },
): string {
  const here = path.at(-1)
  if (token === '{') path.push({ kind: 'object', name: '', isName: true })
  else if (token === '[') path.push({ kind: 'list', index: 0 })
  else if (token === '}' || token === ']') path.pop()
  else if (token === ',') {
    if (here?.kind === 'object') here.isName = true
    else if (here) here.index += 1
  } else if (token === ':') {
    if (here?.kind === 'object') here.isName = false
  } else if (/^["\d-]/.test(token)) {
    const word = wordOf(token)
    if (word === null) return hider.text(token)
    if (here?.kind === 'object' && here.isName) {
      here.name = word
      return written(token, word, hider.word(word))
    }
    const name = path.findLast((it) => it.kind === 'object')?.name ?? ''
    return written(token, word, hider.word(word, { name, isRead: places.some((place) => isAt(place, path)) }))
  }
  return token
}

/** null where a text is broken within. */
function wordOf(token: string): string | null {
  if (!token.startsWith('"')) return token
  try {
    return JSON.parse(token) as string
  } catch {
    return null
  }
}

/** As it was, where nothing of it is hidden. A number becomes a text, since there are no others with # in them. */
function written(token: string, word: string, hidden: string): string {
  return hidden === word ? token : JSON.stringify(hidden)
}

function isAt(place: ReadPlace, path: readonly Frame[]): boolean {
  return (
    place.length === path.length &&
    place.every((step, depth) => {
      const frame = path[depth]
      if (frame?.kind === 'list') return step === null || step === String(frame.index)
      return frame?.name === step
    })
  )
}
