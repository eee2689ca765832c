// Colours the words of a listing when the page is rendered: comments, strings, keywords, and options or values.
import { escapeHtml } from '../http/escape.ts'

/** Names of the groups, and of the classes in docs.css. */
const KINDS = ['note', 'text', 'word', 'flag'] as const

const TYPESCRIPT_WORDS =
  'as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|finally|for|from|function|if|import|in|instanceof|interface|let|new|of|return|switch|throw|try|type|typeof|void|while|yield'
const PYTHON_WORDS =
  'and|as|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield'
const PHP_WORDS =
  'array|as|catch|class|const|echo|else|finally|fn|for|foreach|function|if|int|match|new|return|string|throw|try|use|while'
const VALUES = 'true|false|null|undefined|True|False|None|-?\\d[\\d_.]*'

const SHELL =
  /(?<note>(?<=^|\s)#.*)|(?<text>'[^']*'|"(?:[^"\\]|\\.)*")|(?<flag>(?<=\s)--?[a-zA-Z][\w-]*|\$\w+|\$\{[^}]*\})|(?<word>(?<=(?<!\\\n)^ *|(?:[|;&]|\$\() *)[a-z][\w./-]*(?=\s|$))/gm
const JSON_TOKENS =
  /(?<word>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\\n]|\\.)*")|(?<flag>\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/g
const TYPESCRIPT = tokens(
  '\\/\\/.*|\\/\\*[^]*?\\*\\/',
  '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`',
  TYPESCRIPT_WORDS,
)
const PYTHON = tokens('#.*', '[fbr]?(?:"""[^]*?"""|"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\')', PYTHON_WORDS)
const PHP = tokens('(?:\\/\\/|#).*|\\/\\*[^]*?\\*\\/', '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'', PHP_WORDS)
const SETTINGS = /(?<note>(?<=^|\s)#.*)/gm

const LANGUAGES: Record<string, RegExp> = {
  sh: SHELL,
  json: JSON_TOKENS,
  ts: TYPESCRIPT,
  js: TYPESCRIPT,
  python: PYTHON,
  php: PHP,
  ini: SETTINGS,
  nginx: SETTINGS,
  caddyfile: SETTINGS,
}

function tokens(note: string, text: string, words: string): RegExp {
  return new RegExp(`(?<note>${note})|(?<text>${text})|(?<word>\\b(?:${words})\\b)|(?<flag>\\b(?:${VALUES})\\b)`, 'g')
}

/** A listing in an unknown language has no colours. */
export function highlight(text: string, language: string): string {
  const pattern = LANGUAGES[language]
  if (!pattern) return escapeHtml(text)
  let html = ''
  let from = 0
  for (const match of text.matchAll(pattern)) {
    const kind = KINDS.find((name) => match.groups?.[name] !== undefined)
    html += `${escapeHtml(text.slice(from, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    from = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(from))
}

export function renderListing(text: string, language = ''): string {
  const named = /^\w+$/.test(language) ? ` data-language="${language}"` : ''
  return `<pre tabindex="0"${named}><code>${highlight(text, language)}</code></pre>\n`
}
