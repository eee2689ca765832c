// The pages there are: the guides and manuals as they lie in the checkout, read and rendered once, when somebody asks first.
import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { USUAL_ADDRESS } from '../http/address.ts'
import { renderMarkdown, type Section } from './markdown.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..')

export type Shelf = 'guides' | 'manuals'

export interface DocsPage {
  shelf: Shelf
  name: string
  /** In the checkout. */
  file: string
  url: string
  title: string
  summary: string
  html: string
  sections: Section[]
}

/** A reader's order. A guide that is not named comes behind, by its name; so does a manual. */
const GUIDES = [
  'quickstart',
  'phone-login',
  'webhooks',
  'errors',
  'testing',
  'limits',
  'templates',
  'numbers-and-segments',
  'going-live',
]
const MANUALS = [
  'interface',
  'management',
  'carriers',
  'http-carriers',
  'webhooks',
  'command-line',
  'console',
  'simulator',
  'operations',
]

/** What is not in the folder of the manuals, and is one all the same. */
const ELSEWHERE: Record<string, string> = {
  'sdk/README.md': 'sdk',
  'CHANGELOG.md': 'changelog',
  '.env.example': 'settings',
}

/** They are about the machine itself, where the service listens as these pages say. */
const OF_THE_MACHINE = ['docs/operations.md', '.env.example', 'docs/decisions.md']

export function readPages(root = CHECKOUT): DocsPage[] {
  const files = (pattern: string) => globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/'))
  const places = [
    ...inOrder(files('docs/guides/*.md'), GUIDES).map((file) => placeOf(file, 'guides', basename(file, '.md'))),
    ...inOrder(files('docs/*.md'), MANUALS).map((file) => placeOf(file, 'manuals', basename(file, '.md'))),
    ...Object.entries(ELSEWHERE)
      .filter(([file]) => files(file).length > 0)
      .map(([file, name]) => placeOf(file, 'manuals', name)),
  ]
  const urls = new Map(places.map(({ file, url }) => [file, url]))
  return places.map((place) => {
    const source = sourceOf(root, place.file)
    return { ...place, ...renderMarkdown(source, (href) => leadFrom(place.file, href, urls)) }
  })
}

/** With the address by which the reader came, so that commands work as they are printed. */
export function withAddress(text: string, file: string, address: string): string {
  return OF_THE_MACHINE.includes(file) ? text : text.replaceAll(USUAL_ADDRESS, address)
}

function placeOf(file: string, shelf: Shelf, name: string) {
  return { file, shelf, name, url: `/docs/${shelf}/${name}` }
}

function inOrder(files: readonly string[], order: readonly string[]): string[] {
  const rank = (file: string) => order.indexOf(basename(file, '.md')) + 1 || order.length + 1
  return files.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}

/** The settings are a file of their own kind. */
function sourceOf(root: string, file: string): string {
  const text = readFileSync(join(root, file), 'utf8')
  if (file !== '.env.example') return text
  return `# Settings\n\nEvery setting of the service, with its default, as \`.env.example\` has it.\n\n\`\`\`ini\n${text}\`\`\`\n`
}

/** Links of the sources are between files; here they are between pages. What is not served is not linked. */
function leadFrom(file: string, href: string, urls: ReadonlyMap<string, string>): string | null {
  if (/^(https?:\/\/|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(file), path))
  const url = urls.get(target)
  if (url === undefined) return null
  return anchor === undefined ? url : `${url}#${anchor}`
}
