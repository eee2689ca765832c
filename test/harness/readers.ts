// Signed-in people at the console of a test service.
import { Browser as HappyBrowser } from 'happy-dom'
import type { Page } from 'playwright-core'
import { openReader, type Reader } from './browser.ts'
import { makePerson } from './people.ts'
import type { ServiceUnderTest } from './service.ts'
import { until } from './until.ts'

export interface Seat {
  /** The workspace of the person; an operator if omitted. */
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

/** The real bundle and service in a simulated DOM without layout. */
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
          // The simulated DOM sends neither Origin nor cookies.
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
      throw new Error(`the page does not show ${what}: ${text()}`)
    })
  }
  return { document, text, until: shows, close: () => browser.close() }
}

/** Adds a status to the filter of the open list. */
export async function chooseStatus(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('checkbox', { name }).check()
  await page.keyboard.press('Escape')
}
