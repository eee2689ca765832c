// People at the console of a test's service, signed in as everybody signs in.
import { Browser as HappyBrowser } from 'happy-dom'
import { openReader, type Reader } from './browser.ts'
import { makePerson } from './people.ts'
import type { ServiceUnderTest } from './service.ts'
import { until } from './until.ts'

export interface Seat {
  /** Whose people sit there; the operator if left out. */
  workspaceId?: string
  role?: 'owner' | 'developer' | 'viewer'
}

/** A real browser at the console. */
export async function sitDown(service: ServiceUnderTest, seat: Seat = {}): Promise<Reader> {
  const { browser } = await makePerson(service, seat)
  const reader = await openReader({ baseURL: service.url })
  const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url: service.url }))
  await reader.page.context().addCookies(cookies)
  return reader
}

/** The real bundle and the real service in a browser that is only a program: it lays nothing out, and is everywhere. */
export async function glance(service: ServiceUnderTest, path: string, seat: Seat = {}) {
  const { browser: person } = await makePerson(service, seat)
  const browser = new HappyBrowser({
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      disableCSSFileLoading: true,
      handleDisabledFileLoadingAsSuccess: true,
      fetch: {
        interceptor: {
          // It says neither where its page is from nor what it keeps.
          beforeAsyncRequest: async ({ request }) => {
            for (const [name, value] of Object.entries(person.headers)) request.headers.set(name, value)
            request.headers.set('cookie', person.cookie)
          },
        },
      },
    },
  })
  const page = browser.newPage()
  await page.goto(`${service.url}${path}`)
  const { document } = page.mainFrame
  const text = () => document.getElementById('root')?.textContent ?? ''
  const shows = async (what: string | RegExp) => {
    const isThere = () => (typeof what === 'string' ? text().includes(what) : what.test(text()))
    await until(isThere).catch(() => {
      throw new Error(`the page does not come to show ${what}: ${text()}`)
    })
  }
  return { document, text, until: shows, close: () => browser.close() }
}
