// Converts a pattern into a pattern for its prefixes, to decide whether digits can become a number (D41). Supports the syntax of numbering plans:
// characters, classes, groups, alternatives and counted repetitions.

/** Matches a text that is complete, or cut off anywhere. */
export function prefixPattern(pattern: string): RegExp {
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.join('') !== pattern) throw new Error(`unsupported syntax in the pattern ${pattern}`)
  return new RegExp(`^${alternatives(tokens).cut}$`)
}

const TOKEN = /\(\?:|[)|?]|\{\d+(?:,\d+)?\}|\\d|\[[^\]]*\]|\d/g

interface Part {
  whole: string
  /** Matches a text that ends within the part or before it. */
  cut: string
}

/** Consumes tokens up to the end of the group. */
function alternatives(tokens: string[]): Part {
  const found: Part[] = []
  do found.push(sequence(tokens))
  while (tokens.shift() === '|')
  const either = (sources: string[]) => `(?:${sources.join('|')})`
  return { whole: either(found.map((it) => it.whole)), cut: either(found.map((it) => it.cut)) }
}

function sequence(tokens: string[]): Part {
  const parts: Part[] = []
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') parts.push(repeated(tokens))
  const whole = parts.map((it) => it.whole).join('')
  return { whole, cut: parts.reduceRight((rest, it) => `(?:${it.cut}|${it.whole}${rest})`, '$') }
}

function repeated(tokens: string[]): Part {
  const first = tokens.shift()
  const part = first === '(?:' ? alternatives(tokens) : { whole: first ?? '', cut: '$' }
  const count = tokens[0] === '?' ? '{0,1}' : tokens[0]?.startsWith('{') ? tokens[0] : null
  if (count === null) return part
  tokens.shift()
  const most = Number(/(\d+)\}$/.exec(count)?.[1])
  return { whole: part.whole + count, cut: `${part.whole}{0,${most - 1}}${part.cut}` }
}
