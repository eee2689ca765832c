// Every beginning of what a pattern matches, as a pattern: so it can be told whether digits may grow into a number (D41). It reads what
// numbering plans are written in: characters, classes, groups, alternatives and counted repetitions.

/** Matches a text that is whole, or cut off anywhere. */
export function beginningsOf(pattern: string): RegExp {
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.join('') !== pattern) throw new Error(`the pattern ${pattern} has something that is not known here`)
  return new RegExp(`^${alternatives(tokens).cut}$`)
}

const TOKEN = /\(\?:|[)|?]|\{\d+(?:,\d+)?\}|\\d|\[[^\]]*\]|\d/g

interface Part {
  whole: string
  /** Matches where the text ends within it, or before it. */
  cut: string
}

/** Takes its tokens from the front, up to the end of its group. */
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
