// A page that gets the answers of the service one at a time, and paints each before the next: what moves between two of them moves
// in every run, and not only where the machine is busy.
import type { Page, Route } from 'playwright-core'

/** Which of the calls that wait is answered next. */
export type AnswerOrder = 'oldest first' | 'newest first'

/** An answer and the calls that it leads to are done in less. */
const QUIET_ROUNDS = 3
const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

export async function paceAnswers(page: Page, order: AnswerOrder) {
  const waiting: Route[] = []
  let answering: Promise<void> | null = null
  const next = () => (order === 'oldest first' ? waiting.shift() : waiting.pop())
  const painted = () => page.evaluate(PAINTED)
  const answerAll = async () => {
    await painted()
    for (let route = next(); route; route = next()) {
      await route.fulfill({ response: await route.fetch() })
      await painted()
    }
    answering = null
  }
  await page.route('**/api/**', (route) => {
    // A stream has no end that could be waited for.
    if (route.request().resourceType() === 'eventsource') return route.continue()
    waiting.push(route)
    answering ??= answerAll()
    return answering
  })
  return {
    /** Resolves when all calls are answered and painted. */
    settled: async () => {
      for (let quiet = 0; quiet < QUIET_ROUNDS; quiet++) {
        await painted()
        if (answering) quiet = -1
        await answering
      }
    },
  }
}
