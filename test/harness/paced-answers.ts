// Releases the responses of the service one at a time and waits for a paint after each, so that layout shifts are reproducible.
import type { Page, Route } from 'playwright-core'

/** Chooses the next pending call. */
export type AnswerOrder = 'oldest first' | 'newest first'

/** The time for a response and its follow-up calls. */
const QUIET_ROUNDS = 3
const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

export async function paceAnswers(page: Page, order: AnswerOrder) {
  const waiting: Route[] = []
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
    // A stream never ends.
    if (route.request().resourceType() === 'eventsource') return route.continue()
    waiting.push(route)
    answering ??= answerAll()
    return answering
  })
  return {
    /** Resolves when all calls are released and painted. */
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
        await painted()
        if (answering) quiet = -1
        await answering
      }
    },
  }
}
