// An amount as people type it, in groups of three digits or as Nepal groups them: 12,34,567.50. Undefined where it is none.
const AMOUNT = /^(\d+|\d{1,3}(,\d{2,3})*,\d{3})(\.\d{1,4})?$/

export function readAmount(typed: string): number | undefined {
  return AMOUNT.test(typed.trim()) ? Number(typed.replaceAll(',', '')) : undefined
}
