// Runs Kannel (bearerbox and smsbox with the spool store) on the same load, if it is installed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'
import { messages } from './customers.ts'
import { endChild } from './processes.ts'

const PASSWORD = 'bench'
/** Final reports only, one per message. */
const DLR_MASK = 3
/** Debian installs them in a folder of root's PATH. */
const PATH = [process.env.PATH, '/usr/sbin'].join(delimiter)

/** The installed version, or null. */
export function kannelVersion(): string | null {
  try {
    execFileSync('smsbox', ['--version'], { env: { PATH }, stdio: 'ignore' })
    const output = execFileSync('bearerbox', ['--version'], { env: { PATH }, encoding: 'utf8' })
    return /version `([^']+)'/.exec(output)?.[1] ?? null
  } catch {
    return null
  }
}

export async function startKannel(smscPort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'kannel-bench-'))
  const ports = { smsc: smscPort, admin: await freePort(), boxes: await freePort(), sendsms: await freePort() }
  const file = join(folder, 'kannel.conf')
  mkdirSync(join(folder, 'spool'))
  writeFileSync(file, configOf(ports, folder))
  // Level 4 logs nothing, which saves time.
  const box = (name: string) => spawn(name, ['-v', '4', file], { env: { PATH }, stdio: 'inherit' })
  const status = () => readStatus(ports.admin)
  const boxes: ChildProcess[] = []
  const stop = async () => {
    for (const child of boxes.toReversed()) await endChild(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    boxes.push(box('bearerbox'))
    await until(async () => (await status())?.onlineLinks === 2)
    boxes.push(box('smsbox'))
    await until(async () => (await status())?.boxes === 1)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    port: ports.sendsms,
    pids: boxes.map((child) => child.pid ?? 0),
    reported: (count: number) => until(async () => ((await status())?.reports ?? 0) >= count),
    stop,
  }
}

/**
 * A fair configuration, in Kannel's favour in case of doubt. smsbox responds after bearerbox has stored the message, though this store
 * never fsyncs. The number and width of links equals Hulaki's, and nothing is throttled, logged or limited without need. A report counts
 * as recorded when bearerbox has matched and counted it. There is no dlr-url, because webhooks are not measured here.
 */
function configOf(ports: { smsc: number; admin: number; boxes: number; sendsms: number }, folder: string): string {
  return `
group = core
admin-port = ${ports.admin}
admin-password = ${PASSWORD}
smsbox-port = ${ports.boxes}
smsbox-max-pending = 10000
box-allow-ip = 127.0.0.1
store-type = spool
store-location = ${join(folder, 'spool')}
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = sink
host = 127.0.0.1
port = ${ports.smsc}
smsc-username = bench
smsc-password = ${PASSWORD}
system-type = ""
transceiver-mode = true
instances = 2
max-pending-submits = 250

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${ports.boxes}
sendsms-port = ${ports.sendsms}

group = sendsms-user
username = bench
password = ${PASSWORD}
`
}

/** The same requests in Kannel's format. */
export function kannelRequests(): string[] {
  return messages().map(({ to, text }) => {
    const query = new URLSearchParams({ username: 'bench', password: PASSWORD, from: 'Bench', to: to.slice(1), text })
    return `GET /cgi-bin/sendsms?${query}&dlr-mask=${DLR_MASK} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
  })
}

/** The status page of bearerbox; null before it listens. */
async function readStatus(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/status.xml?password=${PASSWORD}`).catch(() => null)
  if (!response) return null
  const text = await response.text()
  return {
    onlineLinks: text.match(/<status>online/g)?.length ?? 0,
    boxes: text.match(/<box>/g)?.length ?? 0,
    reports: Number(/<dlr>\s*<received><total>(\d+)/.exec(text)?.[1]),
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const limit = AbortSignal.timeout(300_000); !(await isSo()); await sleep(100)) limit.throwIfAborted()
}
