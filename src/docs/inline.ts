// What stands within a line of Markdown, as HTML: code, links, weight, and all else escaped.

/** Where a link of the source leads in the service; null where what it names is not served. */
export type Lead = (href: string) => string | null

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '')
}

/** Code, image, link, bold, italic, an escaped sign, an anchor of its own. */
const TOKEN =
  /(`+)(.+?)\1|!\[([^\]]*)\]\([^)\s]+\)|\[((?:[^[\]`]|`[^`]*`)+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![\w*])\*(?![\s*])([^*]+?)(?<!\s)\*(?![\w*])|\\([\\`*_{}[\]()#+\-.!|<>])|<a id="([\w-]+)"><\/a>/gs

export function renderInline(text: string, lead: Lead): string {
  let html = ''
  let from = 0
  for (const token of text.matchAll(TOKEN)) {
    html += escapeHtml(text.slice(from, token.index)) + renderToken(token, lead)
    from = token.index + token[0].length
  }
  return html + escapeHtml(text.slice(from))
}

function renderToken(token: RegExpMatchArray, lead: Lead): string {
  const [, , code, alt, label, href, bold, italic, escaped, anchor] = token
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
  // A picture is for those who read the sources: a page of the service needs none.
  if (alt !== undefined) return escapeHtml(alt)
  if (label !== undefined) return renderLink(label, href ?? '', lead)
  if (bold !== undefined) return `<strong>${renderInline(bold, lead)}</strong>`
  if (italic !== undefined) return `<em>${renderInline(italic, lead)}</em>`
  if (anchor !== undefined) return `<span id="${escapeHtml(anchor)}"></span>`
  return escapeHtml(escaped ?? '')
}

function renderLink(label: string, href: string, lead: Lead): string {
  const to = lead(href)
  const text = renderInline(label, lead)
  return to === null ? text : `<a href="${escapeHtml(to)}">${text}</a>`
}

/** The words alone, for titles, anchors and the search. */
export function plainText(text: string): string {
  return text
    .replaceAll(/<!--.*?-->|<\/?a\b[^>]*>/gs, '')
    .replaceAll(TOKEN, (all, _ticks, code, alt, label, _href, bold, italic, escaped) => {
      if (code !== undefined) return code
      return (
        alt ?? (plainOf(label) || plainOf(bold) || plainOf(italic) || (escaped ?? (all.startsWith('<') ? '' : all)))
      )
    })
}

function plainOf(part: string | undefined): string {
  return part === undefined ? '' : plainText(part)
}
