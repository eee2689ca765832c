// Reads and renders the documentation pages from the Markdown files of the checkout.
import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { DEFAULT_ADDRESS } from '../http/address.ts'
import { renderMarkdown, type Section } from './markdown.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..')

/** Folders of docs, in the order of the contents. */
export const DOCS_PARTS = ['guides', 'reference', 'operations', 'design'] as const
export type DocsPart = (typeof DOCS_PARTS)[number]
export const PART_TITLES: Record<DocsPart, string> = {
  guides: 'Guides',
  reference: 'Reference',
  operations: 'Operations',
  design: 'Design',
}

export interface DocsPage {
  part: DocsPart
  name: string
  /** Path in the checkout. */
  file: string
  url: string
  title: string
  summary: string
  html: string
  sections: Section[]
}

export interface PageContent {
  title: string
  html: string
  url: string
  /** Shown as the table of contents of the page. */
  sections?: DocsPage['sections']
  query?: string
  /** Replaces the contents of the documentation. */
  contents?: string
}

/** The order of the contents. Pages that are not listed follow by name. */
const ORDER: Record<DocsPart, readonly string[]> = {
  guides: [
    'quickstart',
    'phone-login',
    'webhooks',
    'errors',
    'testing',
    'limits',
    'templates',
    'numbers-and-segments',
    'console',
    'generate-clients',
    'going-live',
  ],
  reference: [
    'glossary',
    'api-contract',
    'webhooks',
    'retries',
    'management',
    'command-line',
    'carriers',
    'http-carriers',
    'simulator',
    'metrics',
  ],
  operations: [
    'deployment',
    'systemd',
    'container',
    'several-machines',
    'proxy',
    'restarts',
    'upgrade',
    'monitoring',
    'backup',
  ],
  design: ['decisions', 'crash-loop'],
}

/** Pages outside docs. */
const ELSEWHERE: Record<string, { part: DocsPart; name: string }> = {
  'sdk/README.md': { part: 'reference', name: 'sdk' },
  '.env.example': { part: 'operations', name: 'settings' },
  'CHANGELOG.md': { part: 'operations', name: 'changelog' },
  'ARCHITECTURE.md': { part: 'design', name: 'architecture' },
}

export function readPages(root = CHECKOUT): DocsPage[] {
  const files = (pattern: string) => globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  const places = DOCS_PARTS.flatMap((part) => [
    ...inOrder(files(`docs/${part}/*.md`), ORDER[part]).map((file) => placeOf(file, part, basename(file, '.md'))),
    ...Object.entries(ELSEWHERE)
      .filter(([file, page]) => page.part === part && files(file).length > 0)
      .map(([file, { name }]) => placeOf(file, part, name)),
  ])
  const urls = new Map(places.map(({ file, url }) => [file, url]))
  return places.map((place) => {
    const source = sourceOf(root, place.file)
    return { ...place, ...renderMarkdown(source, (href) => resolveLink(place.file, href, urls)) }
  })
}

/** Commands contain the address of the request. Operations and design pages are about the machine itself and keep the local one. */
export function withAddress({ html, part }: DocsPage, address: string): string {
  return part === 'operations' || part === 'design' ? html : html.replaceAll(DEFAULT_ADDRESS, address)
}

function placeOf(file: string, part: DocsPart, name: string) {
  return { file, part, name, url: `/docs/${part}/${name}` }
}

function inOrder(files: readonly string[], order: readonly string[]): string[] {
  const rank = (file: string) => order.indexOf(basename(file, '.md')) + 1 || order.length + 1
  return files.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}

/** `.env.example` is not Markdown: it becomes one listing. */
function sourceOf(root: string, file: string): string {
  const text = readFileSync(join(root, file), 'utf8')
  if (file !== '.env.example') return text
  return `# Settings\n\nEvery setting of the service with its default, from \`.env.example\`.\n\n\`\`\`ini\n${text}\`\`\`\n`
}

/** Turns a link to a file into a link to its page; null if the file is not a page. */
function resolveLink(file: string, href: string, urls: ReadonlyMap<string, string>): string | null {
  if (/^(https?:\/\/|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(file), path))
  const url = urls.get(target)
  if (url === undefined) return null
  return anchor === undefined ? url : `${url}#${anchor}`
}
