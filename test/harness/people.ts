// People with HTTP clients that keep cookies and send an Origin like a browser.
import assert from 'node:assert/strict'
import { type Answer, call, type ServiceUnderTest } from './service.ts'

/** The logs are searched for this password (log-leaks.ts). */
export const PASSWORD = 'kathmandu-taxi-412-blue'

export class Browser {
  readonly url: string
  readonly cookies = new Map<string, string>()
  /** Sent with every request. */
  readonly headers: Record<string, string>

  constructor({ url }: { url: string }, headers: Record<string, string> = {}) {
    this.url = url
    this.headers = { origin: url, 'sec-fetch-site': 'same-origin', ...headers }
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const given = body === undefined && method !== 'GET' ? {} : body
    const all = { ...this.headers, cookie: this.cookie, ...headers }
    const answer = await call(`${this.url}/api/manage/v1${path}`, { method, body: given, headers: all })
    for (const set of answer.headers.getSetCookie()) this.#keep(set)
    return answer
  }

  signIn(email: string, password = PASSWORD): Promise<Answer> {
    return this.ask('POST', '/session', { email, password })
  }

  async use(link: string, brought: object = {}): Promise<Answer> {
    return this.ask('POST', '/links/use', { secret: secretOf(link), ...brought })
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (/Max-Age=0\b/.test(set)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

export function secretOf(link: string): string {
  return new URL(link).hash.slice(1)
}

export interface TestPerson {
  id: string
  email: string
  browser: Browser
}

let people = 0

/** An invited person who has signed in; without a workspace an operator. */
export async function makePerson(
  service: Pick<ServiceUnderTest, 'manage' | 'url'>,
  { workspaceId = null, role = 'owner' }: { workspaceId?: string | null; role?: string } = {},
): Promise<TestPerson> {
  people += 1
  const email = `person-${people}@example.com`
  const invited =
    workspaceId === null
      ? await service.manage('POST', '/operators/invitations', { email })
      : await service.manage('POST', `/workspaces/${workspaceId}/invitations`, { email, role })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const browser = new Browser(service)
  const used = await browser.use(invited.body.link, { name: 'Asha', password: PASSWORD })
  assert.equal(used.status, 200, JSON.stringify(used.body))
  const { body } = await browser.ask('GET', '/whoami')
  return { id: body.person.id, email, browser }
}
