// Finds the approved template that a free text is an instance of, among thousands (§4.1).
import type { ParsedTemplate } from './template.ts'
import { isInstance, startScan } from './template-scan.ts'

// Templates by their first literal, then by their last; a template that begins or ends with a variable is under ''. A text looks up its own
// beginnings and endings, one per distinct length, and so meets only templates that share both.
export type TemplateIndex = ByLiteral<ByLiteral<Candidate[]>>
type ByLiteral<T> = { lengths: number[]; entries: Map<string, T> }
type Candidate = { id: string; template: ParsedTemplate }

export function compileTemplates(templates: Iterable<Candidate>): TemplateIndex {
  const byFirst = new Map<string, Map<string, Candidate[]>>()
  for (const { id, template } of templates) {
    const byLast = byFirst.getOrInsert(template.literals[0] ?? '', new Map())
    byLast.getOrInsert(template.literals.at(-1) ?? '', []).push({ id, template })
  }
  return byLiteral(new Map(byFirst.entries().map(([first, byLast]) => [first, byLiteral(byLast)])))
}

// Of several matches, the one with the longest first literal; null without a match.
export function matchText(index: TemplateIndex, text: string): string | null {
  const scan = startScan(text)
  for (const byLast of lookUp(index, text, (length) => text.slice(0, length))) {
    for (const candidates of lookUp(byLast, text, (length) => text.slice(text.length - length))) {
      const match = candidates.find(({ template }) => isInstance(scan, template))
      if (match) return match.id
    }
  }
  return null
}

function byLiteral<T>(entries: Map<string, T>): ByLiteral<T> {
  const lengths = new Set(entries.keys().map((literal) => literal.length))
  return { lengths: [...lengths].sort((a, b) => b - a), entries }
}

function lookUp<T>({ lengths, entries }: ByLiteral<T>, text: string, cut: (length: number) => string): T[] {
  const found: T[] = []
  for (const length of lengths) {
    const entry = length <= text.length ? entries.get(cut(length)) : undefined
    if (entry !== undefined) found.push(entry)
  }
  return found
}
