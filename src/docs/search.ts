// Full-text search over the pages and the API endpoints: each term must be a prefix of a word of the entry.

import type { ReferenceApi } from './api-document.ts'
import { type DocsPage, PART_TITLES } from './pages.ts'

/** Start and end of a hit in a text. */
type Hit = [number, number]

export interface SearchResult {
  url: string
  title: string
  /** The page or API that contains it. */
  within: string
  /** The text around the first term. */
  excerpt: string
  titleHits: Hit[]
  excerptHits: Hit[]
}

export interface SearchEntry {
  url: string
  title: string
  within: string
  words: string
  /** `words` in lower case. */
  small: string
  smallTitle: string
  /** Breaks ties: guides, then API endpoints, then all other pages. */
  rank: number
}

const MAX_QUERY_LENGTH = 100
const MAX_TERMS = 8
const MAX_FOUND = 20
const EXCERPT = 160
/** Bounds of the index: a search reads all of it. */
const MAX_ENTRIES = 5_000
const MAX_ENTRY_WORDS = 40_000
const GUIDE_RANK = 2
const CALL_RANK = 1

export function readSearchQuery(requested: unknown): string {
  return typeof requested === 'string' ? requested.slice(0, MAX_QUERY_LENGTH).trim() : ''
}

export function search(entries: readonly SearchEntry[], query: string): SearchResult[] {
  const terms = [...new Set(query.toLowerCase().split(/[^\p{L}\p{M}\p{N}_{}/.-]+/u))]
    .filter(Boolean)
    .slice(0, MAX_TERMS)
  if (terms.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_FOUND)
    .map(({ entry: { url, title, within, words, small } }) => {
      const excerpt = excerptOf(words, small, terms)
      return { url, title, within, excerpt, titleHits: hitsIn(title, terms), excerptHits: hitsIn(excerpt, terms) }
    })
}

/** Every beginning of a word that is a term, in order and without overlaps. */
function hitsIn(text: string, terms: readonly string[]): Hit[] {
  const small = text.toLowerCase()
  // A few letters change their length in lower case: without marks, no mark is at a wrong place.
  if (small.length !== text.length) return []
  const found = terms.flatMap((term) => placesOf(small, term).map((at): Hit => [at, at + term.length]))
  found.sort(([start, end], [otherStart, otherEnd]) => start - otherStart || otherEnd - end)
  return found.filter(([start], index) => found.slice(0, index).every(([, end]) => end <= start))
}

function scoreOf({ small, smallTitle, rank }: SearchEntry, terms: readonly string[]): number {
  let score = rank
  for (const term of terms) {
    const inTitle = beginsAWord(smallTitle, term)
    const inWords = beginsAWord(small, term)
    if (!inTitle && !inWords) return 0
    score += (inTitle ? 10 : 0) + (inWords ? 2 : 0) + (smallTitle === term ? 10 : 0)
  }
  return score
}

function beginsAWord(text: string, term: string): boolean {
  return placesOf(text, term, 1).length > 0
}

function placesOf(text: string, term: string, atMost = MAX_FOUND): number[] {
  const places: number[] = []
  for (let at = text.indexOf(term); at !== -1 && places.length < atMost; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) places.push(at)
  }
  return places
}

function excerptOf(words: string, small: string, terms: readonly string[]): string {
  const places = terms.map((term) => small.indexOf(term)).filter((at) => at !== -1)
  const begin = Math.max(0, Math.min(...places, words.length) - 40)
  const from = begin === 0 || places.length === 0 ? 0 : words.indexOf(' ', begin) + 1
  const text = words.slice(from, from + EXCERPT).toWellFormed()
  return `${from > 0 ? '… ' : ''}${text}${from + EXCERPT < words.length ? ' …' : ''}`
}

export function entriesOfPages(pages: readonly DocsPage[]): SearchEntry[] {
  return pages.flatMap(({ url, title, part, sections }) =>
    sections.map((section) =>
      entry({
        url: section.level === 1 ? url : `${url}#${section.id}`,
        title: section.text,
        within: section.level === 1 ? PART_TITLES[part] : title,
        words: section.words,
        rank: (part === 'guides' ? GUIDE_RANK : 0) + (section.level === 1 ? 1 : 0),
      }),
    ),
  )
}

export function entriesOfApi({ title, tags }: ReferenceApi): SearchEntry[] {
  return tags.flatMap(({ calls }) =>
    calls.map(({ url, method, path, summary, operation, isWebhook }) =>
      entry({
        url,
        title: summary,
        within: title,
        words: `${isWebhook ? path : `${method} ${path}`}. ${operation.description ?? ''}`
          .replaceAll(/[`*]/g, '')
          .replaceAll(/\s+/g, ' '),
        rank: CALL_RANK,
      }),
    ),
  )
}

export function boundIndex(entries: readonly SearchEntry[]): SearchEntry[] {
  return entries.slice(0, MAX_ENTRIES)
}

function entry({ words: all, ...made }: Omit<SearchEntry, 'small' | 'smallTitle'>): SearchEntry {
  const words = all.slice(0, MAX_ENTRY_WORDS)
  return { ...made, words, small: words.toLowerCase(), smallTitle: made.title.toLowerCase() }
}
