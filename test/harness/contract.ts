// Checks every response of both APIs against the OpenAPI document of the service. A status, code, header or member that is not in the
// document fails the test.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Schema, schemaFaults } from './schema-faults.ts'

interface Response {
  headers: Record<string, { $ref: string }>
  /** Undefined without a body. */
  content?: Record<string, { schema: Schema }>
}

interface Document {
  servers: [{ url: string }]
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { headers: Record<string, { required?: boolean }>; schemas: Record<string, Schema> }
}

export interface ReceivedResponse {
  method: string
  url: string
  status: number
  headers: Headers
  body: unknown
}

/** Headers that must be sent exactly where the document says so. */
const OUR_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after', 'idempotent-replayed']

const NO_BODY: Schema = { type: 'null' }

/** Statuses of unknown routes (D28). The management API checks the token first, so an unknown route there responds 401 or 404. */
const UNDOCUMENTED_STATUSES: Record<string, number[]> = { '/api/sms/': [404], '/api/manage/': [401, 404] }

/** By the URL of the document. */
const contracts = new Map<string, Promise<Contract>>()
/** By the text of the document, because services with the same settings share a document. */
const contractsByText = new Map<string, Contract>()
/** By the origin of a service: the hash of its settings. */
const settingsHashByOrigin = new Map<string, string>()

/** Creating a document takes most of a second, so one per `settings` is fetched. */
export function registerSettings(origin: string, settings: object): void {
  settingsHashByOrigin.set(origin, hash('sha256', JSON.stringify(settings)).slice(0, 16))
}

export async function assertMatchesOpenApi(response: ReceivedResponse): Promise<void> {
  const { origin, pathname } = new URL(response.url)
  const [root, undocumentedStatuses = []] =
    Object.entries(UNDOCUMENTED_STATUSES).find(([it]) => pathname.startsWith(it)) ?? []
  if (root === undefined || pathname.endsWith('/openapi.json')) return
  const url = `${origin}${root}v1/openapi.json`
  const contract = contracts.getOrInsertComputed(url, async () => {
    const text = await documentOf(origin, url)
    return contractsByText.getOrInsertComputed(text, () => new Contract(JSON.parse(text), undocumentedStatuses))
  })
  ;(await contract).assert(response, pathname)
}

async function documentOf(origin: string, url: string): Promise<string> {
  const [folder, settings] = [process.env.TEST_RUN_FOLDER, settingsHashByOrigin.get(origin)]
  const file =
    folder && settings ? join(folder, `document-${settings}${new URL(url).pathname.replaceAll('/', '-')}`) : null
  try {
    if (file) return readFileSync(file, 'utf8')
  } catch {
    // Not fetched yet.
  }
  const text = (await (await fetch(url)).text()).replaceAll(origin, 'http://the-service.invalid')
  if (file) {
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  }
  return text
}

class Contract {
  readonly #document: Document
  readonly #undocumentedStatuses: number[]
  readonly #routes: { pattern: RegExp; path: string }[]

  constructor(document: Document, undocumentedStatuses: number[]) {
    this.#document = document
    this.#undocumentedStatuses = undocumentedStatuses
    // Literal paths come before parameters, as OpenAPI requires.
    const paths = Object.keys(document.paths).toSorted((one, other) => one.split('{').length - other.split('{').length)
    this.#routes = paths.map((path) => {
      const url = `${new URL(document.servers[0].url).pathname}${path}`
      return { path, pattern: new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }
    })
  }

  assert({ method, url, status, headers, body }: ReceivedResponse, pathname: string): void {
    const path = this.#routes.find(({ pattern }) => pattern.test(pathname))?.path
    // HEAD responds like GET without a body.
    const isHead = method === 'HEAD'
    const operation =
      path === undefined ? undefined : this.#document.paths[path]?.[isHead ? 'get' : method.toLowerCase()]
    const what = `the ${status} of ${method} ${url}`
    if (!operation && this.#undocumentedStatuses.includes(status)) return
    const response = operation?.responses[status]
    assert(response, `${what} is not in the document: ${JSON.stringify(body)}`)
    const mediaType = headers.get('content-type')?.split(';', 1)[0] ?? ''
    const { schema = NO_BODY } = (isHead ? undefined : response.content?.[mediaType]) ?? {}
    const faults = schemaFaults(schema, body, this.#document.components.schemas)
    assert.deepEqual(faults, [], `${what} does not fit its schema: ${JSON.stringify(body)}`)
    const documented = Object.entries(response.headers).map(([name, { $ref }]) => ({ name, ...this.#headerAt($ref) }))
    for (const { name, required } of documented) assert(headers.has(name) || !required, `${what} has no header ${name}`)
    const names = new Set(documented.map(({ name }) => name.toLowerCase()))
    const undocumented = OUR_HEADERS.filter((name) => headers.has(name) && !names.has(name))
    assert.deepEqual(undocumented, [], `${what} has undocumented headers`)
  }

  #headerAt($ref: string): { required?: boolean } {
    const header = this.#document.components.headers[$ref.replace('#/components/headers/', '')]
    assert(header, $ref)
    return header
  }
}
