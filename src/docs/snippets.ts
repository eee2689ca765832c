// One API request as curl, TypeScript and Python.
import { renderListing } from './highlight.ts'

export interface SnippetRequest {
  method: string
  url: string
  /** Name and value of the header with the secret, which is in an environment variable; null: the call needs none. */
  secret: { header: string; variable: string; prefix: string } | null
  body: unknown
}

/** Part of the text of an example. This file reads no environment. */
const ENVIRONMENT = ['process', 'env'].join('.')

/** The tabs of the guides: without scripts all three are visible. */
export function renderSnippets(request: SnippetRequest): string {
  const panels = [
    { name: 'curl', language: 'sh', text: asCurl(request) },
    { name: 'TypeScript', language: 'ts', text: asTypeScript(request) },
    { name: 'Python', language: 'python', text: asPython(request) },
  ].map(
    ({ name, language, text }) =>
      `<section data-tab="${name}">\n<h4>${name}</h4>\n${renderListing(text, language)}</section>\n`,
  )
  return `<div class="tabs">\n${panels.join('')}</div>\n`
}

function asCurl({ method, url, secret, body }: SnippetRequest): string {
  const lines = [
    `curl -s ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}'${url}'`,
  ]
  if (secret) lines.push(`-H "${secret.header}: ${secret.prefix}$${secret.variable}"`)
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'")
    lines.push(`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  }
  return lines.join(' \\\n  ')
}

function asTypeScript({ method, url, secret, body }: SnippetRequest): string {
  const value =
    secret &&
    (secret.prefix === ''
      ? `${ENVIRONMENT}.${secret.variable} ?? ''`
      : `\`${secret.prefix}\${${ENVIRONMENT}.${secret.variable}}\``)
  const headers = [
    ...(secret ? [`'${secret.header}': ${value}`] : []),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ]
  const call = options.length === 0 ? `fetch('${url}')` : `fetch('${url}', {\n${options.join('\n')}\n})`
  return `const response = await ${call}\nconsole.log(response.status, await response.text())`
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

function asPython({ method, url, secret, body }: SnippetRequest): string {
  const headers = [
    ...(secret
      ? [`"${secret.header}": ${secret.prefix === '' ? '' : `"${secret.prefix}" + `}os.environ["${secret.variable}"]`]
      : []),
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ]
  const given = [
    `    "${url}",`,
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonValue(body)}).encode(),`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    `    method="${method}",`,
  ]
  const imports = [
    ...(body === undefined ? [] : ['import json']),
    ...(secret ? ['import os'] : []),
    'import urllib.request',
  ]
  return `${imports.join('\n')}

request = urllib.request.Request(
${given.join('\n')}
)
with urllib.request.urlopen(request, timeout=30) as response:
    print(response.status, response.read().decode())`
}

function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}: ${pythonValue(field)}`)
    .join(', ')}}`
}
