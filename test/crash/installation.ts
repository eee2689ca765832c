// The processes of a run: the service as `npm start` runs it, with its bundled PostgreSQL, and the peers around it.
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { LOCAL_RECEIVERS } from '../../bench/processes.ts'
import { freePort } from '../../scripts/free-port.ts'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { ChildService } from '../harness/child-service.ts'
import { ALLOWED, describe, SECRETS } from '../harness/http-carrier.ts'
import { until } from '../harness/until.ts'
import { Database } from './database.ts'
import { Peer } from './peer.ts'
import { BINDS, PREFIX, type Route, WINDOW } from './schedule.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-crash-loop-long'
const PROCESSES = 2
const WORKSPACES = 3
const CLIENTS_PER_WORKSPACE = 4
/** Longer than a busy machine needs, so that only kills leave submissions in doubt. */
const ANSWER_SECONDS = 15

/** A busy machine starts a service slowly. */
export const LONG = { ms: 300_000 }

/** An advance of the clock ends all work of that time: after a long run, that takes minutes. */
const PATIENT = new Agent({ headersTimeout: 0 })

export class Installation {
  readonly folder: string
  readonly database: Database
  readonly carriers: Record<Route, Peer>
  readonly receiver: Peer
  readonly url: string
  /** Of all clients. */
  apiKeys: string[] = []
  service: ChildService
  readonly #env: Record<string, string>

  private constructor(folder: string, port: number, peers: { carriers: Record<Route, Peer>; receiver: Peer }) {
    this.folder = folder
    const dataFolder = join(folder, 'data')
    this.database = new Database(dataFolder)
    this.carriers = peers.carriers
    this.receiver = peers.receiver
    this.url = `http://127.0.0.1:${port}`
    this.#env = {
      ...LOCAL_RECEIVERS,
      ...ALLOWED,
      PORT: String(port),
      HULAKI_PUBLIC_URL: this.url,
      HULAKI_DATA_DIR: dataFolder,
      HULAKI_PROCESSES: String(PROCESSES),
      HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
      HULAKI_DEMO: 'off',
      HULAKI_ROLES: 'api,delivery,webhooks,upkeep',
    }
    this.service = new ChildService({ env: this.#env })
  }

  static async open(): Promise<Installation> {
    const folder = scratchFolder('hulaki-crash')
    const logFile = (name: string) => join(folder, `${name}.log`)
    // Each carrier has an SMSC of its own, because an SMSC sends receipts over any connection.
    const [smpp, resending, http, receiver] = await Promise.all([
      Peer.start('smsc', logFile('smpp')),
      Peer.start('smsc', logFile('resending')),
      Peer.start('provider', logFile('http')),
      Peer.start('receiver', logFile('receiver')),
    ])
    return new Installation(folder, await freePort(), { carriers: { smpp, http, resending }, receiver })
  }

  async prepare(): Promise<void> {
    await this.service.url(LONG)
    await this.#addCarriers()
    await this.#addClients()
    await this.database.installCommitPoints()
  }

  /** Starts the service on the same data, once the processes of the previous service have exited. */
  async startService(settings: Record<string, string> = {}): Promise<void> {
    const { service } = this
    this.#keepLog()
    await until(() => service.runningWorkerPids.length === 0, LONG)
    this.service = new ChildService({ env: { ...this.#env, ...settings } })
    await this.service.url(LONG)
  }

  async manage<Answer>(path: string, body: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}/api/manage/v1${path}`, {
      dispatcher: PATIENT,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }

  /** Ends every process; `isKept` leaves the folder for an inspection. */
  async close({ isKept }: { isKept: boolean }): Promise<void> {
    this.service.signal('SIGTERM')
    await this.service.ended
    this.#keepLog()
    // A service that failed to start leaves its database running.
    await this.database.stop()
    await Promise.all([...Object.values(this.carriers), this.receiver].map((peer) => peer.stop()))
    if (!isKept) rmSync(this.folder, { recursive: true, force: true })
  }

  #keepLog(): void {
    appendFileSync(join(this.folder, 'service.log'), `${this.service.logged().join('\n')}\n`)
  }

  async #addCarriers(): Promise<void> {
    const common = { binds: BINDS, window: WINDOW, answerSeconds: ANSWER_SECONDS }
    const { smpp, http, resending } = this.carriers
    const account = { ...common, host: '127.0.0.1', systemId: 'hulaki', password: 'secret' }
    const carriers: Record<Route, object> = {
      smpp: { ...account, port: smpp.port },
      resending: { ...account, port: resending.port, resendUnknown: true },
      http: {
        ...common,
        kind: 'http',
        secrets: SECRETS,
        http: {
          ...describe(`http://127.0.0.1:${http.port}`),
          body: { kind: 'json', value: { to: '{to}', ref: '{reference}', callback: '{callbackUrl}' } },
          receipts: { kind: 'callback', reading: { reference: '/ref', state: '/state', to: '/to' } },
        },
      },
    }
    for (const [name, carrier] of Object.entries(carriers) as [Route, object][]) {
      const { id } = await this.manage<{ id: string }>('/carriers', { name, ...carrier })
      await this.manage('/routes', { country: 'NP', carrierId: id, prefixes: [PREFIX[name]] })
    }
  }

  async #addClients(): Promise<void> {
    const rate = { transactional: 1.5, otp: 1.2, promotional: 1 }
    const customer = { country: 'NP', status: 'active', monthlyCredit: 10_000_000, templatesRequired: false, rate }
    const webhookUrl = `https://localhost:${this.receiver.port}/hook`
    for (let workspace = 1; workspace <= WORKSPACES; workspace++) {
      const { id } = await this.manage<{ id: string }>('/workspaces', { name: `Workspace ${workspace}`, ...customer })
      for (let number = 1; number <= CLIENTS_PER_WORKSPACE; number++) {
        const client = { name: `Client ${number}`, brandName: 'Crash', requestsPerSecond: 1_000, webhookUrl }
        this.apiKeys.push((await this.manage<{ apiKey: string }>(`/workspaces/${id}/clients`, client)).apiKey)
      }
    }
  }
}
