// A minimal browser with cookies and forms, without scripts.
import assert from 'node:assert/strict'

export interface Page {
  status: number
  headers: Headers
  text: string
  title: string
  /** The error message of the page, if there is one. */
  problem: string | null
}

export class Visitor {
  readonly #url: string
  readonly cookies = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  look(): Promise<Page> {
    return this.#ask('/', { method: 'GET' })
  }

  /** Sends a form and follows the redirect. `headers` replace the headers of the browser. */
  async send(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Page> {
    const answer = await this.#ask(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: this.#url, ...headers },
    })
    if (answer.status !== 303) return answer
    assert.equal(answer.headers.get('location'), '/')
    return this.look()
  }

  async #ask(path: string, { headers, ...request }: RequestInit): Promise<Page> {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#url}${path}`, {
      ...request,
      redirect: 'manual',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    const part = (pattern: RegExp) => pattern.exec(text)?.[1] ?? null
    return {
      status: response.status,
      headers: response.headers,
      text,
      title: part(/<h1>(.*?)<\/h1>/) ?? '',
      problem: part(/role="alert">(.*?)<\/p>/),
    }
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/)
    assert.ok(attributes.includes('HttpOnly') && attributes.includes('SameSite=Lax'), line)
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}
