// The mails to the owners of a workspace when webhook endpoints fail for some minutes, and when they recover.
import type { Language } from '../language.ts'

export type NoticeKind = 'failing' | 'recovered'
export interface NoticedEndpoint {
  name: string
  url: string
  failingSince: Date | null
  succeededAt: Date | null
  statusCode: number | null
  failure: string | null
}

interface Notice {
  kind: NoticeKind
  workspaceName: string
  endpoints: readonly NoticedEndpoint[]
  /** The webhooks of the workspace in the console. */
  link: string
  language: Language
}

/** A mail stays readable: further endpoints are only counted. */
const MAX_ENDPOINTS_LISTED = 20

export function noticeMail({ kind, workspaceName, endpoints, link, language }: Notice): {
  subject: string
  text: string
} {
  const words = WORDS[language][kind]
  const [first] = endpoints
  const listed = endpoints.slice(0, MAX_ENDPOINTS_LISTED)
  const more = endpoints.length - listed.length
  const text = [
    words.intro(workspaceName),
    '',
    ...listed.flatMap((it) => [`${it.name}: ${withoutQuery(it.url)}`, `  ${words.line(it)}`]),
    ...(more > 0 ? [WORDS[language].more(more)] : []),
    '',
    words.next,
    link,
    '',
  ].join('\n')
  const subject =
    endpoints.length === 1 && first ? words.one(first.name) : words.several(endpoints.length, workspaceName)
  return { subject, text }
}

/** The query of a URL often holds a secret (D68). */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

const timeText = (at: Date | null) => (at ? `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : '–')
const responseText = ({ statusCode, failure }: NoticedEndpoint) =>
  statusCode === null ? failure : `HTTP ${statusCode}`

interface KindWords {
  one: (name: string) => string
  several: (count: number, workspaceName: string) => string
  intro: (workspaceName: string) => string
  line: (endpoint: NoticedEndpoint) => string
  next: string
}

const WORDS: Record<Language, Record<NoticeKind, KindWords> & { more: (count: number) => string }> = {
  en: {
    failing: {
      one: (name) => `Webhook endpoint failing: ${name}`,
      several: (count, workspaceName) => `${count} webhook endpoints failing in ${workspaceName}`,
      intro: (workspaceName) => `Webhook events of the workspace ${workspaceName} are not delivered:`,
      line: (it) => `failing since ${timeText(it.failingSince)}, last response: ${responseText(it)}`,
      next: 'Each event is retried for about five hours. Fix the endpoint, send a test event, then replay failed events:',
    },
    recovered: {
      one: (name) => `Webhook endpoint recovered: ${name}`,
      several: (count, workspaceName) => `${count} webhook endpoints recovered in ${workspaceName}`,
      intro: (workspaceName) => `Webhook events of the workspace ${workspaceName} are delivered again:`,
      line: (it) => `last success ${timeText(it.succeededAt)}`,
      next: 'Events that failed meanwhile are not sent again by themselves. Replay them here:',
    },
    more: (count) => `and ${count} more`,
  },
  ne: {
    failing: {
      one: (name) => `वेबहुक एन्डपोइन्ट असफल: ${name}`,
      several: (count, workspaceName) => `${workspaceName} का ${count} वेबहुक एन्डपोइन्ट असफल`,
      intro: (workspaceName) => `${workspaceName} वर्कस्पेसका वेबहुक इभेन्ट पुगेका छैनन्:`,
      line: (it) => `${timeText(it.failingSince)} देखि असफल, अन्तिम जवाफ: ${responseText(it)}`,
      next: 'हरेक इभेन्ट करिब पाँच घण्टासम्म फेरि पठाइन्छ। एन्डपोइन्ट ठीक गर्नुहोस्, परीक्षण इभेन्ट पठाउनुहोस्, अनि असफल इभेन्ट फेरि पठाउनुहोस्:',
    },
    recovered: {
      one: (name) => `वेबहुक एन्डपोइन्ट फेरि चल्यो: ${name}`,
      several: (count, workspaceName) => `${workspaceName} का ${count} वेबहुक एन्डपोइन्ट फेरि चले`,
      intro: (workspaceName) => `${workspaceName} वर्कस्पेसका वेबहुक इभेन्ट फेरि पुग्दै छन्:`,
      line: (it) => `अन्तिम सफलता ${timeText(it.succeededAt)}`,
      next: 'यसबीच असफल भएका इभेन्ट आफैँ फेरि पठाइँदैनन्। यहाँबाट फेरि पठाउनुहोस्:',
    },
    more: (count) => `र अरू ${count}`,
  },
}
