// The mails about a request for credit (D86): to the operators when it is made, and to the owners when it is decided.
import type { Language } from '../language.ts'
import { writeE4 } from '../money.ts'
import type { CreditRequest } from './credit-request.ts'

interface RequestMail extends Pick<CreditRequest, 'amountE4' | 'note' | 'reason'> {
  status: 'open' | 'granted' | 'declined'
  workspaceName: string
  currency: string
  /** The page of the console where it is decided or shown. */
  link: string
  language: Language
}

export function creditRequestMail(request: RequestMail): { subject: string; text: string } {
  const { status, workspaceName, currency, amountE4, note, reason, link, language } = request
  const words = WORDS[language]
  const [subject, sentence, next] = words[status](workspaceName, `${currency} ${writeE4(amountE4)}`)
  const lines = [
    sentence,
    ...(status === 'open' && note !== null ? [`${words.note}: ${note}`] : []),
    ...(status === 'declined' && reason !== null ? [`${words.reason}: ${reason}`] : []),
  ]
  return { subject, text: [...lines, '', next, link, ''].join('\n') }
}

type Texts = (workspaceName: string, amount: string) => [subject: string, sentence: string, next: string]

const WORDS: Record<Language, Record<RequestMail['status'], Texts> & { note: string; reason: string }> = {
  en: {
    open: (name, amount) => [
      `${name} requests credit: ${amount}`,
      `The workspace ${name} requests ${amount} of credit.`,
      'Top up, or decline:',
    ],
    granted: (name, amount) => [
      `Credit added to ${name}`,
      `The workspace ${name} was topped up, after its request for ${amount}.`,
      'Balance and usage:',
    ],
    declined: (name, amount) => [
      `Credit request of ${name} declined`,
      `The request of the workspace ${name} for ${amount} was declined.`,
      'Balance and usage:',
    ],
    note: 'Note',
    reason: 'Reason',
  },
  ne: {
    open: (name, amount) => [
      `${name} ले क्रेडिट माग्यो: ${amount}`,
      `${name} वर्कस्पेसले ${amount} क्रेडिट मागेको छ।`,
      'क्रेडिट थप्नुहोस् वा अस्वीकार गर्नुहोस्:',
    ],
    granted: (name, amount) => [
      `${name} मा क्रेडिट थपियो`,
      `${amount} को अनुरोधपछि ${name} वर्कस्पेसमा क्रेडिट थपियो।`,
      'ब्यालेन्स र प्रयोग:',
    ],
    declined: (name, amount) => [
      `${name} को क्रेडिट अनुरोध अस्वीकार भयो`,
      `${name} वर्कस्पेसको ${amount} को अनुरोध अस्वीकार भयो।`,
      'ब्यालेन्स र प्रयोग:',
    ],
    note: 'टिप्पणी',
    reason: 'कारण',
  },
}
