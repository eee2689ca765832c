// The TypeScript listings of a README as modules that compile, with declarations of the names that they use.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

interface Written {
  name: string
  text: string
}

/** Names that the listings use but do not declare. */
const BROUGHT: Record<string, string> = {
  hulaki: "declare const hulaki: import('@hulaki/client').Hulaki",
  Hulaki: "import { Hulaki } from '@hulaki/client'",
  HulakiError: "import { HulakiError } from '@hulaki/client'",
  verifyWebhook: "import { verifyWebhook } from '@hulaki/client'",
  message: "declare const message: import('@hulaki/client').Sending",
  apiKey: 'declare const apiKey: string',
  secret: 'declare const secret: string',
  phone: 'declare const phone: string',
  typed: 'declare const typed: string',
  userAddress: 'declare const userAddress: string',
  rawBody: 'declare const rawBody: Uint8Array',
  headers: "declare const headers: import('node:http').IncomingHttpHeaders",
  order: 'declare const order: { id: number; phone: string }',
  queue: 'declare const queue: { add(job: object): Promise<void> }',
  ask: 'declare function ask(text: string): void',
  signIn: 'declare function signIn(): void',
  keepStatus: 'declare function keepStatus(id: string, status: string, at: string): Promise<void>',
  keepReply: 'declare function keepReply(from: string, text: string): Promise<void>',
  db: 'declare const db: { transaction(work: (tx: { insert(sql: string, values: unknown[]): Promise<boolean> }) => Promise<void>): Promise<void> }',
}

/** The used parts of Express and Deno, which are not packages of this project. */
const ELSEWHERE = `declare module 'express' {
  type Handler = (
    request: { body: Buffer; headers: import('node:http').IncomingHttpHeaders },
    response: { sendStatus(status: number): void },
    next: (error: unknown) => void,
  ) => Promise<void>
  interface App { post(path: string, parser: unknown, handler: Handler): void }
  function express(): App
  namespace express { function raw(options: { type: string }): unknown }
  export default express
}
declare namespace Deno { function serve(handler: (request: Request) => Promise<Response>): void }
`

const textsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text)

/** The listing that contains these words. */
export function listingWith(words: string, file: string): string {
  const found = textsOf(file).filter((text) => text.includes(words))
  assert.equal(found.length, 1, `listings with ${words}`)
  return String(found[0])
}

export function listingsOf(file: string): { files: Written[]; declared: Written } {
  const files = textsOf(file).map((text, at) => {
    const isMissing = (name: string) =>
      new RegExp(`(?<![.'\\w])${name}\\b(?!:)`).test(text) &&
      !new RegExp(`\\b(const|function) ${name}\\b|(import|const) (type )?\\{[^}]*\\b${name}\\b`).test(text)
    const brought = Object.entries(BROUGHT).flatMap(([name, line]) => (isMissing(name) ? [line] : []))
    return { name: `listing-${at + 1}.ts`, text: [...brought, text, 'export {}\n'].join('\n') }
  })
  return { files, declared: { name: 'elsewhere.d.ts', text: ELSEWHERE } }
}
