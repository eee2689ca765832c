// Compares a response with the printed one: the same fields and types, and equal values where they matter.
import assert from 'node:assert/strict'

/** All objects in the output of a command, one per line. */
export function jsonIn(text: string): unknown[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}

const DECIDES = ['code', 'reason', 'status', 'verified', 'success', 'segments', 'encoding', 'expected', 'position']

export function assertLike(answer: unknown, printed: unknown, where: string): void {
  if (Array.isArray(printed)) {
    assert.ok(Array.isArray(answer), `${where}: ${JSON.stringify(answer)}`)
    if (printed.length > 0) assertLike(answer[0], printed[0], where)
    return
  }
  if (typeof printed !== 'object' || printed === null) {
    assert.equal(typeof answer, typeof printed, `${where}: ${JSON.stringify(answer)}`)
    return
  }
  assert.ok(typeof answer === 'object' && answer !== null, `${where}: ${JSON.stringify(answer)}`)
  const given = answer as Record<string, unknown>
  assert.deepEqual(Object.keys(given).sort(), Object.keys(printed).sort(), `${where}: ${JSON.stringify(answer)}`)
  for (const [name, value] of Object.entries(printed)) {
    if (DECIDES.includes(name)) assert.deepEqual(given[name], value, `${where}: ${name}`)
    else assertLike(given[name], value, `${where}: ${name}`)
  }
}

export function isLike(answer: unknown, printed: unknown): boolean {
  try {
    assertLike(answer, printed, '')
    return true
  } catch {
    return false
  }
}
