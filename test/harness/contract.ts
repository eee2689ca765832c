// Holds every answer of either API against the OpenAPI document of the service that gave it. What the document does not
// promise, be it a status, a code, a header or a member of a body, fails the test that received it. So the answers cost nothing
// where the service runs: there they are held by their types alone, which a member too many can slip past.
import assert from 'node:assert/strict'
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Response {
  headers: Record<string, { $ref: string }>
  /** Not where there is no body. */
  content?: Record<string, { schema: AnySchemaObject }>
}

interface Document {
  servers: [{ url: string }]
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { headers: Record<string, { required?: boolean }>; schemas: Record<string, AnySchemaObject> }
}

export interface Given {
  method: string
  url: string
  status: number
  headers: Headers
  body: unknown
}

/** What tells a caller something beside the body: sent exactly where it is promised. */
const OUR_HEADERS = ['ratelimit', 'ratelimit-policy', 'retry-after', 'idempotent-replayed']

const NO_BODY: AnySchemaObject = { type: 'null' }

/** What is not described is not there (D28); the management API says so only to who has a token. */
const UNDESCRIBED: Record<string, number[]> = { '/api/sms/': [404], '/api/manage/': [401, 404] }

/** By where the document is. Services of one file mostly have the same: it is compiled once for all of them. */
const contracts = new Map<string, Promise<Contract>>()
const contractsByText = new Map<string, Contract>()

export async function assertAsDescribed(given: Given): Promise<void> {
  const { origin, pathname } = new URL(given.url)
  const [root, undescribed = []] = Object.entries(UNDESCRIBED).find(([it]) => pathname.startsWith(it)) ?? []
  if (root === undefined || pathname.endsWith('/openapi.json')) return
  const url = `${origin}${root}v1/openapi.json`
  const contract = contracts.getOrInsertComputed(url, async () => {
    const text = (await (await fetch(url)).text()).replaceAll(origin, 'http://the-service.invalid')
    return contractsByText.getOrInsertComputed(text, () => new Contract(JSON.parse(text), undescribed))
  })
  ;(await contract).assert(given, pathname)
}

class Contract {
  readonly #document: Document
  readonly #undescribed: number[]
  /** That the documents are good schemas themselves is what their own tests say. */
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  /** Each is compiled once: the service under test runs in the same process, and must not wait for that. */
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #routes: { pattern: RegExp; path: string }[]

  constructor(document: Document, undescribed: number[]) {
    this.#document = document
    this.#undescribed = undescribed
    formats.default(this.#ajv)
    const { schemas } = document.components
    this.#ajv.addSchema({ $id: 'document', components: { schemas: closed(schemas) } })
    // What is written out goes before what a parameter stands for, as OpenAPI says.
    const paths = Object.keys(document.paths).toSorted((one, other) => one.split('{').length - other.split('{').length)
    this.#routes = paths.map((path) => {
      const url = `${new URL(document.servers[0].url).pathname}${path}`
      return { path, pattern: new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }
    })
  }

  assert({ method, url, status, headers, body }: Given, pathname: string): void {
    const path = this.#routes.find(({ pattern }) => pattern.test(pathname))?.path
    // HEAD is answered as GET is, without the body.
    const isHead = method === 'HEAD'
    const operation =
      path === undefined ? undefined : this.#document.paths[path]?.[isHead ? 'get' : method.toLowerCase()]
    const what = `the ${status} of ${method} ${url}`
    if (!operation && this.#undescribed.includes(status)) return
    const response = operation?.responses[status]
    assert(response, `${what} is not in the document: ${JSON.stringify(body)}`)
    const mediaType = headers.get('content-type')?.split(';', 1)[0] ?? ''
    const { schema = NO_BODY } = (isHead ? undefined : response.content?.[mediaType]) ?? {}
    assert.equal(this.#faultsOf(schema, body), '', `${what} does not fit its schema: ${JSON.stringify(body)}`)
    const promised = Object.entries(response.headers).map(([name, { $ref }]) => ({ name, ...this.#headerAt($ref) }))
    for (const { name, required } of promised) assert(headers.has(name) || !required, `${what} has no header ${name}`)
    const names = new Set(promised.map(({ name }) => name.toLowerCase()))
    const told = OUR_HEADERS.filter((name) => headers.has(name) && !names.has(name))
    assert.deepEqual(told, [], `${what} has headers that are not promised`)
  }

  #headerAt($ref: string): { required?: boolean } {
    const header = this.#document.components.headers[$ref.replace('#/components/headers/', '')]
    assert(header, $ref)
    return header
  }

  #faultsOf(schema: AnySchemaObject, body: unknown): string {
    const absolute = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    const validate = this.#validators.getOrInsertComputed(absolute, () => this.#ajv.compile(JSON.parse(absolute)))
    return validate(body) ? '' : this.#ajv.errorsText(validate.errors)
  }
}

/** The document leaves room for members to come; a test must not: what is not described is a leak. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.entries(schema).map(([key, value]) => [key, closed(value)])
  const isObject = 'type' in schema && schema.type === 'object' && 'properties' in schema
  return { ...(isObject ? { additionalProperties: false } : {}), ...Object.fromEntries(inner) }
}
