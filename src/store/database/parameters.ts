// Encodes parameters: arrays in binary where binary-array.ts supports their type, all other values as text.
import { binaryArray } from './binary-array.ts'

/** `arrayOf` is the element type of an array, if it is known. */
export function parameterOf(value: unknown, arrayOf: string | undefined): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value
  if (!Array.isArray(value)) return plainText(value)
  return (arrayOf === undefined ? null : binaryArray(arrayOf, value)) ?? arrayText(value)
}

function arrayText(items: readonly unknown[]): string {
  let text = '{'
  for (let index = 0; index < items.length; index++)
    text += index === 0 ? itemText(items[0]) : `,${itemText(items[index])}`
  return `${text}}`
}

function itemText(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  if (typeof item === 'number') return String(item)
  if (Array.isArray(item)) return arrayText(item)
  if (Buffer.isBuffer(item)) return `"\\\\x${item.toString('hex')}"`
  const text = plainText(item)
  // Few texts need escaping: two checks are cheaper than a replacement.
  return text.includes('"') || text.includes('\\') ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
