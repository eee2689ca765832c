// Decides whether a text is the beginning of a match of a pattern, for example whether digits can become a number (D41). Supports the syntax of
// numbering plans: characters, classes, groups, alternatives and counted repetitions. Follows all matches at once, so no pattern is slow.

/** Returns a function that tells whether a text matches the pattern as a whole, or can be continued to a match. */
export function prefixMatcher(pattern: string): (text: string) => boolean {
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.join('') !== pattern) throw new Error(`unsupported syntax in the pattern ${pattern}`)
  const part = alternatives(tokens)
  return (text) => part(new Set([0]), text).has(text.length)
}

const TOKEN = /\(\?:|[)|?]|\{\d+(?:,\d+)?\}|\\d|\[[^\]]*\]|\d/g

/** Returns where matches end that begin at one of the positions. What follows the end of the text matches anything. */
type Part = (starts: ReadonlySet<number>, text: string) => ReadonlySet<number>

/** Consumes tokens up to the end of the group. */
function alternatives(tokens: string[]): Part {
  const parts: Part[] = []
  do parts.push(sequence(tokens))
  while (tokens.shift() === '|')
  return (starts, text) => new Set(parts.flatMap((part) => [...part(starts, text)]))
}

function sequence(tokens: string[]): Part {
  const parts: Part[] = []
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') parts.push(repetition(tokens))
  return (starts, text) => parts.reduce((positions, part) => part(positions, text), starts)
}

function repetition(tokens: string[]): Part {
  const first = tokens.shift() ?? ''
  const part = first === '(?:' ? alternatives(tokens) : character(first)
  const count = tokens[0] === '?' ? '{0,1}' : tokens[0]?.startsWith('{') ? tokens[0] : null
  if (count === null) return part
  tokens.shift()
  const [min = 1, max = min] = count.slice(1, -1).split(',').map(Number)
  return (starts, text) => {
    const ends = new Set<number>()
    let positions = starts
    for (let times = 0; times <= max; times++) {
      if (times > 0) positions = part(positions, text)
      if (times >= min) for (const position of positions) ends.add(position)
    }
    return ends
  }
}

function character(source: string): Part {
  const pattern = new RegExp(`^${source}$`)
  return (starts, text) => {
    const ends = new Set<number>()
    for (const start of starts) {
      if (start === text.length) ends.add(start)
      else if (pattern.test(text.charAt(start))) ends.add(start + 1)
    }
    return ends
  }
}
