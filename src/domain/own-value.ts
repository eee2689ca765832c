// Looks up an external name in one of our tables, without inherited properties, for example `constructor`.
export function getOwnValue<Value>(table: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
