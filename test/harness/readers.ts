// People at the console of a test's service.
import { Browser } from 'happy-dom'
import { openReader, type Reader } from './browser.ts'
import { makeOwner } from './client.ts'
import { OPERATOR_TOKEN, type TestService } from './service.ts'

export interface Seat {
  /** Whose console it is: the operator's, or that of somebody who sees a workspace. */
  workspaceId?: string
}

/** A real browser at the console, signed in. */
export async function sitDown(service: TestService, { workspaceId }: Seat = {}): Promise<Reader> {
  const token = workspaceId ? (await makeOwner(service, workspaceId)).token : OPERATOR_TOKEN
  return openReader({ baseURL: service.url, extraHTTPHeaders: { authorization: `Bearer ${token}` } })
}

/** The real bundle and the real service in a browser that is only a program: it lays nothing out, and is everywhere. */
export async function glance(service: TestService, path: string, { workspaceId }: Seat = {}) {
  const token = workspaceId ? (await makeOwner(service, workspaceId)).token : OPERATOR_TOKEN
  const browser = new Browser({
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      disableCSSFileLoading: true,
      handleDisabledFileLoadingAsSuccess: true,
      fetch: {
        interceptor: {
          beforeAsyncRequest: async ({ request }) => {
            request.headers.set('authorization', `Bearer ${token}`)
          },
        },
      },
    },
  })
  const page = browser.newPage()
  await page.goto(`${service.url}${path}`)
  const { document } = page.mainFrame
  const text = () => document.getElementById('root')?.textContent ?? ''
  const until = async (what: string | RegExp) => {
    const isThere = () => (typeof what === 'string' ? text().includes(what) : what.test(text()))
    for (let tries = 0; !isThere(); tries++) {
      if (tries > 400) throw new Error(`the page does not come to show ${what}: ${text()}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  return { document, text, until, close: () => browser.close() }
}
