// Words of a carrier over HTTP as people may see them (D60): which of them are a text is not known on the wire, so whatever may be one
// loses its digits, in whatever spelling it comes. Ids, numbers and times stay, since faults are found by them.

/** What is known of an exchange beforehand. */
export interface Known {
  /** Our numbers and ids: they stay. */
  own: readonly string[]
  /** The texts of its messages: what quotes one of them does not. */
  texts: readonly string[]
  /** Names of headers and parameters with a secret in them, beside those that say so themselves. */
  opens?: readonly string[]
  /** Blanks out secrets, in every spelling. */
  hideSecrets: (text: string) => string
}

export interface Hider {
  /** Secrets alone, wherever they begin and end. */
  secrets(text: string): string
  /** A text, or what may be one. */
  text(text: string): string
  /** A value of its own, such as a field has; `isRead` where its description reads something there, such as an id. */
  word(word: string, options?: { isRead?: boolean; name?: string }): string
}

export const HIDDEN = '***'
const HIDDEN_DIGIT = '#'
/** More of one value is not looked at for what it is: it is a text. */
const LONGEST_ID = 200
/** Fewer digits are no code: a status, a count. */
const SHORTEST_CODE = 4
/** So often something is spelled that is spelled already. */
const DEEPEST_SPELLING = 4

/** Of a field, a parameter or a header: what stands there opens something. */
const OPENS =
  /pass(?:word|wd|phrase|code)?$|pwd|secret|token|api[-_]?key|^key$|[-_]key$|auth|credential|cookie|session|signature|^pin$|^otp/i

export function opensSomething(name: string): boolean {
  return OPENS.test(name)
}

export function hideDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, HIDDEN_DIGIT)
}

export function hiderOf({ own, texts, opens = [], hideSecrets }: Known): Hider {
  const ours = new Set(own)
  const openers = new Set(opens.map((it) => it.toLowerCase()))
  const runs = [...new Set(texts.flatMap(runsOf))]
  const quotes = (word: string) =>
    runsOf(word).some((part) => runs.some((run) => part.includes(run) || run.includes(part)))
  const text = (said: string): string =>
    hideSecrets(withoutReadableBase64(unspelled(hideSecrets(said)))).replaceAll(/[\p{L}\p{M}\p{N}+_-]+/gu, (piece) =>
      ours.has(piece) ? piece : hideDigits(piece),
    )
  return {
    secrets: hideSecrets,
    text,
    word: (word, { isRead = false, name = '' } = {}) => {
      if (openers.has(name.toLowerCase())) return HIDDEN
      if (ours.has(word) || word === '') return word
      if (opensSomething(name) && !isRead) return HIDDEN
      const isOne = word.length <= LONGEST_ID && (isTime(word) || !/\s/.test(word)) && unspelled(word) === word
      return isOne &&
        hideSecrets(word) === word &&
        !quotes(word) &&
        !isReadableBase64(word) &&
        (isRead || isHarmless(word))
        ? word
        : text(word)
    },
  }
}

/** As long as a code, or what is left of one that was cut. */
function runsOf(text: string): string[] {
  return text.match(/\p{Nd}{4,}/gu) ?? []
}

/** Too short for a code, or too long and of one piece: a status, a number, an id, a time; or an address. */
function isHarmless(word: string): boolean {
  const digits = word.match(/\p{Nd}/gu)?.length ?? 0
  if (digits < SHORTEST_CODE || isTime(word) || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(word)) return true
  return /^\+?\d{9,40}$/.test(word) || (word.length >= 16 && /^[A-Z]{0,4}[0-9a-f]{4,}(?:-[0-9a-f]{4,})*$/i.test(word))
}

function isTime(word: string): boolean {
  if (/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(word)) return true
  return /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z| ?[+-]\d\d:?\d\d)?)?$/.test(word)
}

/** Digits may be spelled in letters, as %AA of a Devanagari four is: what is spelled is read before its digits are looked for. */
export function unspelled(text: string): string {
  let read = text
  for (let depth = 0; depth < DEEPEST_SPELLING; depth++) {
    const before = read
    read = read
      .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll(/&#x([0-9a-f]{1,6});?/gi, (whole, hex: string) => charOf(Number.parseInt(hex, 16)) ?? whole)
      .replaceAll(/&#(\d{1,7});?/g, (whole, code: string) => charOf(Number(code)) ?? whole)
      .replaceAll(/(?:%[0-9a-f]{2})+|(?:=[0-9A-F]{2}){3,}/gi, bytesOf)
    if (read === before) break
  }
  return read
}

function bytesOf(spelled: string): string {
  return Buffer.from(spelled.replaceAll(/[%=]/g, ''), 'hex').toString('utf8')
}

function charOf(code: number): string | null {
  return code <= 0x10ffff ? String.fromCodePoint(code) : null
}

const BASE64 = /[A-Za-z0-9+/_-]{6,}={0,2}/g

function withoutReadableBase64(text: string): string {
  return text.replaceAll(BASE64, (word) => (isReadableBase64(word) ? HIDDEN : word))
}

/** Something that people could read is written in base64, or in hex, in one byte or two for each sign. */
function isReadableBase64(word: string): boolean {
  const isHex = word.length % 2 === 0 && /^[0-9a-f]{6,}$/i.test(word)
  if (isHex && holdsDigits(Buffer.from(word, 'hex'))) return true
  return /^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(word) && holdsDigits(Buffer.from(word, 'base64'))
}

function holdsDigits(bytes: Buffer): boolean {
  // What is drawn by chance would now and then be letters of some script.
  const isReadable = (text: string) => /[\d\u0966-\u096f]/.test(text) && /^[\s -~\u0900-\u097f]+$/.test(text)
  if (isReadable(bytes.toString('utf8'))) return true
  return bytes.length % 2 === 0 && isReadable(Buffer.from(bytes).swap16().toString('utf16le'))
}
