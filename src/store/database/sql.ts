// SQL as a value: what stands between the backquotes is the statement, what is put in is always a parameter.

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Set when the text never varies: PostgreSQL then parses and plans it once per connection. */
  readonly name: string | undefined
  /** By parameter: the type of its elements, where the text casts it to an array of them. */
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
    named += 1
    const arraysOf = strings.slice(1).map((next) => /^::(\w+)\[\]/.exec(next)?.[1])
    statement = { text: assemble(strings, values).text, name: `s${named}`, arraysOf }
    known.set(strings, statement)
  }
  return { ...statement, values }
}

const assembled = new Map<string, Pick<Statement, 'name' | 'arraysOf'>>()

/** For a hot statement that is put together from pieces, but always from the same: it too is parsed and planned once per connection. */
export function prepared({ text, values }: Statement): Statement {
  let statement = assembled.get(text)
  if (!statement) {
    named += 1
    const arraysOf = values.map((_, index) => new RegExp(`\\$${index + 1}::(\\w+)\\[\\]`).exec(text)?.[1])
    statement = { name: `s${named}`, arraysOf }
    assembled.set(text, statement)
  }
  return { text, values, ...statement }
}

/** A piece of a statement, to be put into one: for conditions that are there or not. */
export function part(strings: TemplateStringsArray, ...values: unknown[]): Fragment {
  return new Fragment(strings, values)
}

/** Pieces joined by `and`; none at all is `true`. */
export function every(conditions: readonly (Fragment | null)[]): Fragment {
  const present = conditions.filter((condition) => condition !== null)
  return present.length === 0 ? part`true` : joined(present, ' and ')
}

/** Pieces of which one must hold; none at all is `false`. */
export function either(conditions: readonly (Fragment | null)[]): Fragment {
  const present = conditions.filter((condition) => condition !== null)
  return present.length === 0 ? part`false` : part`(${joined(present, ' or ')})`
}

/** Whole statements, one behind the other. */
export function unionAll(statements: readonly Fragment[]): Fragment {
  return joined(
    statements.map((it) => part`(${it})`),
    ' union all ',
  )
}

function joined(pieces: readonly Fragment[], between: string): Fragment {
  return new Fragment(['', ...pieces.slice(1).map(() => between), ''], pieces)
}

export type { Fragment }

function assemble(strings: readonly string[], values: readonly unknown[]): Statement {
  const parameters: unknown[] = []
  const write = (strings: readonly string[], values: readonly unknown[]): string =>
    strings.reduce((text, string, index) => {
      const value = values[index - 1]
      if (value instanceof Fragment) return text + write(value.strings, value.values) + string
      parameters.push(value)
      return `${text}$${parameters.length}${string}`
    })
  return { text: write(strings, values), values: parameters, name: undefined }
}
