// Messages for invalid fields (§2.6), in place of zod's. A schema can have a message of its own.
import type { z } from 'zod'

export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? MISSING : `Must be ${KINDS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? MISSING : `Must be ${oneOf(issue.values)}`
    case 'invalid_format':
      return `Must be ${FORMATS[issue.format] ?? 'well formed'}`
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in UNITS) return 'Must not be empty'
      return `Must ${amount(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `Must ${amount(issue.origin, 'at most', issue.maximum)}`
    case 'unrecognized_keys':
      return `Must not have ${issue.keys.join(', ')}`
    default:
      return 'Must have another format'
  }
}

const MISSING = 'Must be given'

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  date: 'a day such as 2026-01-02',
  datetime: 'a time such as 2026-01-02T03:04:05Z',
}

/** Units of values that have a size. */
const UNITS: Record<string, string> = { string: 'characters', array: 'items' }

function amount(origin: string, bound: 'at least' | 'at most', count: number | bigint): string {
  const unit = UNITS[origin]
  return unit === undefined ? `be ${bound} ${count}` : `have ${bound} ${count} ${unit}`
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`
}
