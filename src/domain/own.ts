// Looks a word of the outside up in a table of ours: `constructor` is in every table of JavaScript, and was put there by nobody.
export function ownOf<Value>(table: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
