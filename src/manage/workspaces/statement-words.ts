// The words of the printed statement, in the languages of the console.
import type { Language } from '../../domain/language.ts'
import type { MessageType } from '../../domain/message-type.ts'
import type { StatementLine } from '../../domain/workspaces/statement.ts'

interface StatementWords {
  title: string
  months: readonly string[]
  workspace: string
  period: string
  timeZone: string
  currency: string
  created: string
  closed: string
  open: string
  summary: string
  description: string
  lines: Record<StatementLine, string>
  sum: string
  closing: string
  adds: string
  differs: string
  topUps: string
  topUpsExpire: string
  date: string
  note: string
  amount: string
  moreTopUps: (count: number) => string
  usage: string
  client: string
  type: string
  types: Record<MessageType, string>
  messages: string
  segments: string
  charged: string
  refunded: string
  net: string
  total: string
  none: string
}

const en: StatementWords = {
  title: 'Statement',
  months: [
    ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
    ...['August', 'September', 'October', 'November', 'December'],
  ],
  workspace: 'Workspace',
  period: 'Period',
  timeZone: 'Time zone',
  currency: 'Currency',
  created: 'Created',
  closed: 'The month is closed. Late refunds are added to the month of their charge and expire immediately.',
  open: 'The month is not closed yet: amounts still change.',
  summary: 'Summary',
  description: 'Description',
  lines: {
    opening: 'Opening balance',
    grant: 'Monthly credit',
    topUp: 'Top-ups',
    usage: 'Messages',
    refund: 'Refunds',
    expiry: 'Expired at the end of the month',
    lateExpiry: 'Expired refunds after the end of the month',
  },
  sum: 'Sum of the lines',
  closing: 'Closing balance',
  adds: 'The lines add up to the balance of the ledger.',
  differs: 'The lines do not add up to the balance of the ledger: contact support.',
  topUps: 'Top-ups',
  topUpsExpire: 'Top-ups expire at the end of the month, like the rest of the balance.',
  date: 'Date',
  note: 'Note',
  amount: 'Amount',
  moreTopUps: (count) => `${count} more`,
  usage: 'Messages by client and type',
  client: 'API client',
  type: 'Type',
  types: { transactional: 'transactional', otp: 'OTP', promotional: 'promotional' },
  messages: 'Messages',
  segments: 'Segments',
  charged: 'Charged',
  refunded: 'Refunded',
  net: 'Net',
  total: 'Total',
  none: 'No messages in this month.',
}

const ne: StatementWords = {
  title: 'स्टेटमेन्ट',
  months: [
    ...['जनवरी', 'फेब्रुअरी', 'मार्च', 'अप्रिल', 'मे', 'जुन', 'जुलाई'],
    ...['अगस्ट', 'सेप्टेम्बर', 'अक्टोबर', 'नोभेम्बर', 'डिसेम्बर'],
  ],
  workspace: 'वर्कस्पेस',
  period: 'अवधि',
  timeZone: 'समय क्षेत्र',
  currency: 'मुद्रा',
  created: 'बनाइएको',
  closed: 'महिना बन्द भयो। ढिलो आएको फिर्ता आफ्नो शुल्ककै महिनामा जोडिन्छ र तुरुन्तै म्याद सकिन्छ।',
  open: 'महिना बन्द भएको छैन: रकम अझै बदलिन्छ।',
  summary: 'सारांश',
  description: 'विवरण',
  lines: {
    opening: 'सुरुको ब्यालेन्स',
    grant: 'मासिक क्रेडिट',
    topUp: 'टप-अप',
    usage: 'सन्देश',
    refund: 'फिर्ता',
    expiry: 'महिनाको अन्त्यमा म्याद सकिएको',
    lateExpiry: 'महिना सकिएपछिको फिर्ता, म्याद सकिएको',
  },
  sum: 'लाइनहरूको जोड',
  closing: 'अन्तिम ब्यालेन्स',
  adds: 'लाइनहरूको जोड लेजरको ब्यालेन्ससँग मिल्छ।',
  differs: 'लाइनहरूको जोड लेजरको ब्यालेन्ससँग मिल्दैन: सपोर्टमा सम्पर्क गर्नुहोस्।',
  topUps: 'टप-अप',
  topUpsExpire: 'टप-अपको म्याद बाँकी ब्यालेन्ससँगै महिनाको अन्त्यमा सकिन्छ।',
  date: 'मिति',
  note: 'टिप्पणी',
  amount: 'रकम',
  moreTopUps: (count) => `अरू ${count}`,
  usage: 'क्लाइन्ट र प्रकारअनुसार सन्देश',
  client: 'API क्लाइन्ट',
  type: 'प्रकार',
  types: { transactional: 'ट्रान्जेक्सनल', otp: 'ओटीपी', promotional: 'प्रमोसनल' },
  messages: 'सन्देश',
  segments: 'खण्ड',
  charged: 'शुल्क',
  refunded: 'फिर्ता',
  net: 'खुद',
  total: 'जम्मा',
  none: 'यस महिनामा सन्देश छैन।',
}

export const STATEMENT_WORDS: Record<Language, StatementWords> = { en, ne }
