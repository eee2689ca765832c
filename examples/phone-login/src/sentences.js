// The messages to people: for each error, one sentence that says what to do.
/** @import { CodeVerdict, HulakiError } from '@hulaki/client' */

/** Wrong attempts that Hulaki allows per code (§2.2). */
export const ATTEMPTS = 5

export const NO_NUMBER = {
  status: 422,
  problem: 'This number cannot receive messages. Please check it.',
}

/**
 * The message if a code could not be sent.
 * @param {HulakiError} error
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
      return { status: 429, problem: `Please wait ${duration(retryAfterSeconds)} before you request another code.` }
    case 'number_cap':
    case 'daily_cap':
    case 'suspected_pumping':
      return { status: 429, problem: 'No more codes can be sent at the moment. Please try again later.' }
    default:
      return { status: 503, problem: 'We cannot send codes at the moment. Please try again in a few minutes.' }
  }
}

/**
 * The message if a code could not be verified.
 * @param {HulakiError} error
 */
export function whyNotChecked({ code, retryAfterSeconds }) {
  return code === 'rate_limited'
    ? { status: 429, problem: `Please wait ${duration(retryAfterSeconds)}, then try the code again.` }
    : { status: 503, problem: 'We cannot verify codes at the moment. Please try again in a minute.' }
}

/**
 * The message for a wrong code; `wrong` counts the wrong attempts, including this one.
 * @param {CodeVerdict['reason']} reason
 * @param {number} wrong
 */
export function whyNotIn(reason, wrong) {
  const left = ATTEMPTS - wrong
  if (reason === 'no_active_otp')
    return {
      isOver: true,
      problem: 'The code has expired: it is valid for five minutes. Please request a new one.',
    }
  if (reason === 'too_many_attempts' || left <= 0)
    return { isOver: true, problem: 'Too many wrong codes. Please request a new one.' }
  return { isOver: false, problem: `Wrong code. You have ${left === 1 ? 'one attempt' : `${left} attempts`} left.` }
}

/** @param {number | null} seconds */
export function duration(seconds) {
  const count = seconds ?? 60
  if (count === 1) return 'one second'
  return count <= 120 ? `${count} seconds` : `${Math.ceil(count / 60)} minutes`
}
