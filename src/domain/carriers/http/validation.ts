// Shared by all validators of a description: errors with paths, and the templates of a call.
import type { FieldError } from '../../refusals.ts'
import { CALLBACK_URL } from './callback.ts'
import type { JsonValue } from './description.ts'
import { parsePointer } from './pointer.ts'
import { type Placeholder, parseHttpTemplate, type Template } from './template.ts'

export type FieldPath = (string | number)[]

export function fieldError(path: FieldPath, message: string): FieldError {
  return { path, message, code: 'custom' }
}

/** Visits every text in JSON, with its path. */
export function walk(value: JsonValue, path: FieldPath, visit: (text: string, path: FieldPath) => void): void {
  if (typeof value === 'string') visit(value, path)
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...path, index], visit)
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) walk(field, [...path, name], visit)
}

export function validatePointer(text: string | null, path: FieldPath): FieldError[] {
  return text === null || parsePointer(text) !== null
    ? []
    : [fieldError(path, 'Must be a JSON pointer, for example /messages/0/id')]
}

/** Parses templates and collects their errors. */
export class Templates {
  readonly errors: FieldError[] = []
  readonly #secretNames: readonly string[]
  readonly #placeholders: readonly Placeholder[] | undefined
  /** The message placeholders that the templates use. */
  readonly used = new Set<Placeholder>()

  constructor(secretNames: readonly string[], placeholders?: readonly Placeholder[]) {
    this.#secretNames = secretNames
    this.#placeholders = placeholders
  }

  parse(text: string, path: FieldPath): Template {
    const template = parseHttpTemplate(text, this.#placeholders)
    if (typeof template === 'string') {
      this.errors.push(fieldError(path, template))
      return []
    }
    for (const piece of template) {
      if (piece.kind === 'message') this.used.add(piece.name)
      if (piece.kind === 'secret' && !this.#secretNames.includes(piece.name))
        this.errors.push(fieldError(path, unknownSecret(piece.name)))
    }
    return template
  }

  /** Credentials must not depend on the message, and need a secret, because a description is not encrypted. */
  parseSecret(text: string, path: FieldPath): void {
    this.#validateCredentials([{ text, path }])
  }

  /** At least one of user and password is a secret; with some providers it is the user. */
  parseAccount({ user, password }: { user: string; password: string }, path: FieldPath): void {
    if (user.includes(':')) this.errors.push(fieldError([...path, 'user'], 'Must not contain a colon'))
    this.#validateCredentials([
      { text: password, path: [...path, 'password'] },
      { text: user, path: [...path, 'user'] },
    ])
  }

  #validateCredentials(parts: [Part, ...Part[]]): void {
    const before = this.errors.length
    const templates = parts.map(({ text, path }) => {
      const template = this.parse(text, path)
      if (template.some((piece) => piece.kind === 'message'))
        this.errors.push(fieldError(path, 'Must not depend on the message'))
      return template
    })
    const hasSecret = templates.flat().some((piece) => piece.kind === 'secret')
    if (!hasSecret && this.errors.length === before)
      this.errors.push(fieldError(parts[0].path, 'Must use a {secret.NAME}, because this field is not encrypted'))
  }
}

interface Part {
  text: string
  path: FieldPath
}

function unknownSecret(name: string): string {
  if (name === CALLBACK_URL) return 'Uses {callbackUrl}, which needs receipts by callback and HULAKI_PUBLIC_URL'
  return `Uses {secret.${name}}, but no secret has that name`
}
