// Finds the word that a misspelled word was meant to be.

const MAX_TYPOS = 2

/** Returns the nearest word within MAX_TYPOS. */
export function findNearestWord(typed: string, words: readonly string[]): string | undefined {
  const near = words
    .map((word) => ({ word, slips: slipsBetween(typed, word) }))
    // Two typos turn a word of three letters into another word.
    .filter(({ word, slips }) => slips <= MAX_TYPOS && slips < word.length / 2)
  return near.toSorted((one, other) => one.slips - other.slips)[0]?.word
}

/** Counts missing, additional, wrong and swapped letters. */
function slipsBetween(typed: string, word: string): number {
  if (Math.abs(typed.length - word.length) > MAX_TYPOS) return Number.POSITIVE_INFINITY
  const rows = [Array.from({ length: word.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= typed.length; i++) {
    const row = [i]
    for (let j = 1; j <= word.length; j++) {
      const isSame = typed[i - 1] === word[j - 1]
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1]
      const changed = (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1)
      const swapped = isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(changed, swapped, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    rows.push(row)
  }
  return rows[typed.length]?.[word.length] ?? Number.POSITIVE_INFINITY
}
