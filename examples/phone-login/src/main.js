// Starts the app: settings, the Hulaki client, the server.
import { Hulaki } from '@hulaki/client'
import { makeApp } from './app.js'
import { readSettings, WrongSetting } from './settings.js'

const { apiKey, hulakiUrl, host, port, ...rest } = settingsOrEnd()

// A person waits at the page: retry after a short wait, show an error instead of a longer one.
const hulaki = new Hulaki({ url: hulakiUrl, apiKey, retries: 2, withinMs: 8_000, maxWaitMs: 2_000 })

const app = makeApp({ hulaki, ...rest })
await app.listen({ host, port })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close().catch(console.error))

function settingsOrEnd() {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
