// SQL as template literals: every inserted value is a parameter.

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Set for a constant text, which PostgreSQL parses and plans once per connection. */
  readonly name: string | undefined
  /** By parameter: the element type, if the text casts it to an array. */
  readonly arraysOf?: readonly (string | undefined)[]
}

class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

const known = new WeakMap<TemplateStringsArray, Required<Omit<Statement, 'values'>>>()
let named = 0

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  if (values.some((value) => value instanceof Fragment)) return assemble(strings, values)
  let statement = known.get(strings)
  if (!statement) {
    const { text, arraysOf } = assemble(strings, values)
    statement = { text, name: nextName(), arraysOf }
    known.set(strings, statement)
  }
  return { ...statement, values }
}

const names = new Map<string, string>()

/** For a frequent statement that is always built from the same fragments: it is parsed and planned once per connection too. */
export function prepared(statement: Statement): Statement {
  return { ...statement, name: names.getOrInsertComputed(statement.text, nextName) }
}

function nextName(): string {
  named += 1
  return `s${named}`
}

/** A fragment of a statement, for optional conditions. */
export function fragment(strings: TemplateStringsArray, ...values: unknown[]): Fragment {
  return new Fragment(strings, values)
}

/** Fragments joined by `and`; `true` without any. */
export function every(conditions: readonly (Fragment | null)[]): Fragment {
  const present = conditions.filter((condition) => condition !== null)
  return present.length === 0 ? fragment`true` : joined(present, ' and ')
}

/** Fragments joined by `or`; `false` without any. */
export function either(conditions: readonly (Fragment | null)[]): Fragment {
  const present = conditions.filter((condition) => condition !== null)
  return present.length === 0 ? fragment`false` : fragment`(${joined(present, ' or ')})`
}

/** Statements joined by `union all`. */
export function unionAll(statements: readonly Fragment[]): Fragment {
  return joined(
    statements.map((it) => fragment`(${it})`),
    ' union all ',
  )
}

function joined(pieces: readonly Fragment[], between: string): Fragment {
  return new Fragment(['', ...pieces.slice(1).map(() => between), ''], pieces)
}

export type { Fragment }

function assemble(
  strings: readonly string[],
  values: readonly unknown[],
): Statement & { arraysOf: (string | undefined)[] } {
  const parameters: unknown[] = []
  const arraysOf: (string | undefined)[] = []
  const write = (strings: readonly string[], values: readonly unknown[]): string =>
    strings.reduce((text, string, index) => {
      const value = values[index - 1]
      if (value instanceof Fragment) return text + write(value.strings, value.values) + string
      parameters.push(value)
      arraysOf.push(ARRAY_CAST.exec(string)?.[1])
      return `${text}$${parameters.length}${string}`
    })
  return { text: write(strings, values), values: parameters, name: undefined, arraysOf }
}

const ARRAY_CAST = /^::(\w+)\[\]/
