// The mail to the owners of a workspace whose balance has fallen below an alert (D79).
import type { Language } from '../language.ts'
import { writeE4 } from '../money.ts'

interface CreditAlert {
  workspaceName: string
  currency: string
  balanceE4: number
  /** The lowest alert that the balance has crossed. */
  belowE4: number
  /** Usage & billing of the workspace in the console. */
  link: string
  language: Language
}

export function creditAlertMail({ workspaceName, currency, balanceE4, belowE4, link, language }: CreditAlert): {
  subject: string
  text: string
} {
  const words = WORDS[language]
  const money = (e4: number) => `${currency} ${writeE4(e4)}`
  const text = [words.balance(workspaceName, money(balanceE4), money(belowE4)), '', words.next, link, ''].join('\n')
  return { subject: words.subject(workspaceName, money(balanceE4)), text }
}

interface AlertWords {
  subject: (workspaceName: string, balance: string) => string
  balance: (workspaceName: string, balance: string, below: string) => string
  next: string
}

const WORDS: Record<Language, AlertWords> = {
  en: {
    subject: (workspaceName, balance) => `Low balance of ${workspaceName}: ${balance}`,
    balance: (workspaceName, balance, below) =>
      `The balance of the workspace ${workspaceName} is ${balance}, below the alert of ${below}.`,
    next: 'Without credit, messages are rejected. Balance and usage:',
  },
  ne: {
    subject: (workspaceName, balance) => `${workspaceName} को ब्यालेन्स कम छ: ${balance}`,
    balance: (workspaceName, balance, below) =>
      `${workspaceName} वर्कस्पेसको ब्यालेन्स ${balance} छ, ${below} को अलर्टभन्दा कम।`,
    next: 'क्रेडिट नभए सन्देश अस्वीकृत हुन्छन्। ब्यालेन्स र प्रयोग:',
  },
}
