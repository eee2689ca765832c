// Releases the responses of the service one at a time and waits for a paint after each, so that layout shifts are reproducible.
import type { Page, Request, Route } from 'playwright-core'
import { PAINTED } from './browser.ts'

/** Chooses the next pending call. */
export type AnswerOrder = 'oldest first' | 'newest first'

/** The time for a response and its follow-up calls. */
const QUIET_ROUNDS = 3

export async function paceAnswers(page: Page, order: AnswerOrder) {
  const waiting: Route[] = []
  const running = watchRequests(page)
  let answering: Promise<void> | null = null
  const next = () => (order === 'oldest first' ? waiting.shift() : waiting.pop())
  /** A call of the page before can still be pending when the page navigates: then the new page is painted. */
  const painted = async (): Promise<void> => {
    try {
      await page.evaluate(PAINTED)
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('Execution context was destroyed'))) throw error
      await painted()
    }
  }
  const answerAll = async () => {
    await painted()
    for (let route = next(); route; route = next()) {
      await route.fulfill({ response: await route.fetch() })
      await painted()
    }
    answering = null
  }
  await page.route('**/api/**', (route) => {
    // The stream never starts, since each of its events would repeat calls at any time.
    if (isStream(route.request())) return
    waiting.push(route)
    answering ??= answerAll()
    return answering
  })
  return {
    /** Resolves when all files are loaded, and all calls are released and painted. */
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
        await painted()
        if (running.size > 0) quiet = -1
        await answering
      }
    },
  }
}

function isStream(request: Request): boolean {
  return request.resourceType() === 'eventsource'
}

/** The pending requests of the current document, without its stream. */
function watchRequests(page: Page): ReadonlySet<Request> {
  const running = new Set<Request>()
  page.on('request', (request) => {
    if (request.isNavigationRequest()) running.clear()
    if (!isStream(request)) running.add(request)
  })
  page.on('requestfinished', (request) => running.delete(request))
  page.on('requestfailed', (request) => running.delete(request))
  return running
}
