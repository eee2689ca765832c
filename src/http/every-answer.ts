// What every answer carries, whoever makes it: it is nobody's to keep, and to be taken for nothing but what it says it is.
export const ON_EVERY_ANSWER = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** D28: a larger body is refused, with 413. */
export const BODY_LIMIT_BYTES = 65_536
