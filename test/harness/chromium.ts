// The real browser of the tests and of the pictures: Chromium, where it is installed.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const chromiumProgram = PLACES.find((place) => place && existsSync(place))

export function launchChromium(): Promise<Browser> {
  if (!chromiumProgram) throw new Error('no Chromium is installed; on Debian: apt-get install chromium')
  return chromium.launch({
    executablePath: chromiumProgram,
    // As root there is no sandbox; and nothing outside of this machine is asked for anything.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
