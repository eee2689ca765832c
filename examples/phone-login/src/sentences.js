// What people are told: for everything that may be refused, one sentence that says what they can do.
/** @import { CodeVerdict, HulakiError } from '@hulaki/client' */

/** How many wrong codes Hulaki takes (§2.2). */
export const TRIES = 5

export const NO_NUMBER = {
  status: 422,
  problem: 'This is not a mobile number that can get a message. Please check it.',
}

/**
 * Why no code was sent.
 * @param {HulakiError} fault
 */
export function whyNotSent({ code, retryAfterSeconds }) {
  switch (code) {
    case 'invalid_request':
    case 'invalid_number':
      return NO_NUMBER
    case 'destination_not_supported':
    case 'prefix_not_allowed':
      return { status: 422, problem: 'We cannot send codes to numbers of that country or network yet.' }
    case 'rate_limited':
      return { status: 429, problem: `Please wait ${duration(retryAfterSeconds)} before you ask for another code.` }
    case 'number_cap':
    case 'daily_cap':
    case 'suspected_pumping':
      return { status: 429, problem: 'No more codes can be sent at the moment. Please try again later.' }
    default:
      return { status: 503, problem: 'We cannot send codes at the moment. Please try again in a few minutes.' }
  }
}

/**
 * Why a code was not even compared.
 * @param {HulakiError} fault
 */
export function whyNotChecked({ code, retryAfterSeconds }) {
  return code === 'rate_limited'
    ? { status: 429, problem: `Please wait ${duration(retryAfterSeconds)}, then try the code again.` }
    : { status: 503, problem: 'We cannot check codes at the moment. Please try again in a minute.' }
}

/**
 * Why a code does not let anybody in; `wrong` are the tries that were, with this one.
 * @param {CodeVerdict['reason']} reason
 * @param {number} wrong
 */
export function whyNotIn(reason, wrong) {
  const left = TRIES - wrong
  if (reason === 'no_active_otp')
    return {
      isOver: true,
      problem: 'That code is no longer good: a code lasts five minutes. Please ask for a new one.',
    }
  if (reason === 'too_many_attempts' || left <= 0)
    return { isOver: true, problem: 'Those were too many wrong codes. Please ask for a new one.' }
  return { isOver: false, problem: `That is not the code. You have ${left === 1 ? 'one try' : `${left} tries`} left.` }
}

/** @param {number | null} seconds */
export function duration(seconds) {
  const count = seconds ?? 60
  if (count === 1) return 'one second'
  return count <= 120 ? `${count} seconds` : `${Math.ceil(count / 60)} minutes`
}
