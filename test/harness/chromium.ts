// Chromium for tests and screenshots, if it is installed.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** A host name of this machine that browsers do not trust over plain HTTP. */
export const UNTRUSTED_HOST = 'untrusted.test'
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const chromiumProgram = PLACES.find((place) => place && existsSync(place))

export function launchChromium(): Promise<Browser> {
  if (!chromiumProgram) throw new Error('Chromium is not installed; on Debian: apt-get install chromium')
  return chromium.launch({
    executablePath: chromiumProgram,
    // No sandbox as root, and no requests to other machines.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--host-resolver-rules=MAP ${UNTRUSTED_HOST} 127.0.0.1`,
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
