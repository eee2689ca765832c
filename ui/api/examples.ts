// A call of the management API as a command line and as code. The token comes from the environment; secrets are left out.
import { addressOf, type Input } from './address.ts'
import { CALLS, type Calls } from './calls.ts'

export const EXAMPLE_LANGUAGES = ['curl', 'typescript', 'python'] as const
export type ExampleLanguage = (typeof EXAMPLE_LANGUAGES)[number]

export interface ExampleRequest {
  method: string
  url: string
  /** Undefined for a call without one. */
  body: unknown
}

export function requestOf(name: keyof Calls, input: object, origin: string): ExampleRequest {
  const { body } = input as { body?: unknown }
  return {
    method: CALLS[name][0],
    url: `${origin}${addressOf(name, input as Input<typeof name>)}`,
    body: withoutSecrets(body),
  }
}

const SECRET = /password|secret|token|otpcode/i

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, it]) => [name, SECRET.test(name) && it ? '…' : withoutSecrets(it)])
  return Object.fromEntries(fields)
}

export function exampleOf(language: ExampleLanguage, request: ExampleRequest): string {
  return { curl, typescript, python }[language](request)
}

function curl({ method, url, body }: ExampleRequest): string {
  const parts = [
    `curl -s ${method === 'GET' ? '' : `-X ${method} `}${shellText(url)}`,
    `-H "authorization: Bearer $HULAKI_TOKEN"`,
  ]
  if (body !== undefined) parts.push(`-H 'content-type: application/json' -d ${shellText(JSON.stringify(body))}`)
  return parts.join(' \\\n  ')
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function typescript({ method, url, body }: ExampleRequest): string {
  const hasBody = body !== undefined
  const headers = [`authorization: \`Bearer \${process.env.HULAKI_TOKEN}\``]
  if (hasBody) headers.push("'content-type': 'application/json'")
  return [
    `const response = await fetch(${scriptText(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { ${headers.join(', ')} },`,
    ...(hasBody ? [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`] : []),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(await response.json())',
  ].join('\n')
}

function scriptText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function python({ method, url, body }: ExampleRequest): string {
  const hasBody = body !== undefined
  const headers = ['"authorization": "Bearer " + os.environ["HULAKI_TOKEN"]']
  if (hasBody) headers.push('"content-type": "application/json"')
  return [
    'import json, os',
    'from urllib.request import Request, urlopen',
    '',
    ...(hasBody ? [`body = ${pythonValue(body)}`] : []),
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    ...(hasBody ? ['    json.dumps(body).encode(),'] : []),
    `    headers={${headers.join(', ')}},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ')',
    'with urlopen(request) as response:',
    '    print(json.load(response))',
  ].join('\n')
}

/** A JSON string is also a Python string. */
function pythonValue(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const lines = Array.isArray(value)
    ? value.map((it) => pythonValue(it, inner))
    : Object.entries(value).flatMap(([name, it]) =>
        it === undefined ? [] : [`${JSON.stringify(name)}: ${pythonValue(it, inner)}`],
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (lines.length === 0) return `${open}${close}`
  return `${open}\n${lines.map((line) => `${inner}${line},`).join('\n')}\n${indent}${close}`
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}
