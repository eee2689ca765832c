// Finds the line of a value in a JSON text, so that errors can name it.

type Path = readonly (string | number)[]
type ReadJson = { ok: true; value: unknown } | { ok: false; line: number }

const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const SPACE = /[ \t\r\n]*/y

export function readJson(text: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, line: lineAt(text, new Walk(text).whole().at) }
  }
}

/** The line of a path, or of its nearest parent in the text. */
export function lineOf(text: string, path: Path): number {
  const { places } = new Walk(text).whole()
  for (let length = path.length; length > 0; length--) {
    const at = places.get(nameOf(path.slice(0, length)))
    if (at !== undefined) return lineAt(text, at)
  }
  return 1
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function nameOf(path: Path): string {
  return path.map(String).join('\u0000')
}

class Stop extends Error {}

/** Walks through a text as far as it is valid JSON, and records the place of each value. */
class Walk {
  readonly places = new Map<string, number>()
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  whole(): this {
    try {
      this.#value([])
      this.#take(SPACE)
    } catch (error) {
      if (!(error instanceof Stop)) throw error
    }
    return this
  }

  #value(path: Path): void {
    this.#take(SPACE)
    const first = this.#text[this.at]
    if (first === '{') this.#members('}', () => this.#member(path))
    else if (first === '[') this.#members(']', (index) => this.#item([...path, index]))
    else if (this.#take(STRING) === null && this.#take(PLAIN) === null) throw new Stop()
  }

  #members(end: string, member: (index: number) => void): void {
    this.at += 1
    this.#take(SPACE)
    if (this.#is(end)) return
    for (let index = 0; ; index++) {
      member(index)
      this.#take(SPACE)
      if (this.#is(end)) return
      if (!this.#is(',')) throw new Stop()
    }
  }

  #member(path: Path): void {
    this.#take(SPACE)
    const at = this.at
    const name = this.#take(STRING)
    if (name === null) throw new Stop()
    const inner = [...path, JSON.parse(name) as string]
    this.places.set(nameOf(inner), at)
    this.#take(SPACE)
    if (!this.#is(':')) throw new Stop()
    this.#value(inner)
  }

  #item(path: Path): void {
    this.#take(SPACE)
    this.places.set(nameOf(path), this.at)
    this.#value(path)
  }

  #is(character: string): boolean {
    if (this.#text[this.at] !== character) return false
    this.at += 1
    return true
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)
    if (!found) return null
    this.at += found[0].length
    return found[0]
  }
}
