// Full-text search over the pages and the API endpoints: each term must be a prefix of a word of the entry.
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import { type DocsPage, PART_TITLES } from './pages.ts'

export interface SearchResult {
  url: string
  title: string
  /** The page or API that contains it. */
  within: string
  /** The text around the first term. */
  excerpt: string
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
    .map(({ entry: { url, title, within, words, small } }) => ({
      url,
      title,
      within,
      excerpt: excerptOf(words, small, terms),
    }))
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
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true
  }
  return false
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

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
}

/** The parts of an OpenAPI document that the search reads. */
interface ApiDocument {
  info: { title: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
}

export function entriesOfApi({ info, servers, paths }: ApiDocument): SearchEntry[] {
  const root = new URL(servers[0]?.url ?? 'http://here.invalid').pathname
  return Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls).map(([method, { summary = '', description = '', tags = [] }]) => {
      const call = `${method.toUpperCase()} ${root}${path}`
      return entry({
        url: `${REFERENCE_ROOT}#${anchorInReference(info.title, tags[0] ?? '', { method, path })}`,
        title: summary || call,
        within: info.title,
        words: `${call}. ${description}`.replaceAll(/[`*]/g, '').replaceAll(/\s+/g, ' '),
        rank: CALL_RANK,
      })
    }),
  )
}

/** The same anchors as in the reference. */
function anchorInReference(title: string, tag: string, { method, path }: { method: string; path: string }): string {
  const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')
  return `${slug(title)}/tag/${slug(tag)}/${method.toUpperCase()}${path}`
}

function entry(made: Omit<SearchEntry, 'small' | 'smallTitle'>): SearchEntry {
  return { ...made, small: made.words.toLowerCase(), smallTitle: made.title.toLowerCase() }
}
