// The settings, read from the environment: a whole Config, or every fault at once.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createSecureContext } from 'node:tls'
import { parseNetwork } from '../domain/network.ts'
import type { OidcSettings } from '../identity/oidc.ts'
import { SHORTEST_OPERATOR_TOKEN } from './first-start.ts'
import { reason } from './start-fault.ts'

const ROLE_NAMES = ['api', 'delivery', 'webhooks', 'upkeep', 'simulator'] as const
export type RoleName = (typeof ROLE_NAMES)[number]

/** Any number of processes may play these beside each other, on one machine or on several. */
export const isShared = (role: RoleName): boolean => role === 'api' || role === 'delivery' || role === 'webhooks'

export interface Config {
  port: number
  host: string
  /** null: the bundled PostgreSQL. */
  databaseUrl: string | null
  dataDirectory: string
  roles: readonly RoleName[]
  /** How many processes share the roles that can be shared; with more than one, the other roles run in a process beside them. */
  processes: number
  /** For how long a stop says that it should get no more traffic before it takes none. */
  drainSeconds: number
  operatorToken: string | null
  keyringFile: string | null
  demo: boolean
  trustedProxies: string[]
  /** Where browsers find the service; null where they ask for it as it listens. */
  publicUrl: string | null
  /** A provider by which people sign in; who was not invited is a viewer of `newcomersTo`, or does not come in. */
  oidc: (OidcSettings & { newcomersTo: string | null }) | null
  /** The server by which links are mailed. */
  mail: { url: string; from: string } | null
  webhookAllowedNetworks: string[]
  webhookCaFile: string | null
  /** D50 */
  carrierAllowedNetworks: string[]
  carrierCaFile: string | null
  tls: { certFile: string; keyFile: string } | null
  vendor: string
  logLevel: string
  clock: 'system' | 'manual'
  simulator: { receiptDelayMs: number; segmentsPerSecond: number | null }
  /** D44 */
  keepTestMessagesDays: number
}

export const SETTINGS = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'HULAKI_DATA_DIR',
  'HULAKI_ROLES',
  'HULAKI_PROCESSES',
  'HULAKI_DRAIN_SECONDS',
  'HULAKI_OPERATOR_TOKEN',
  'HULAKI_KEYRING_FILE',
  'HULAKI_DEMO',
  'HULAKI_TRUSTED_PROXIES',
  'HULAKI_PUBLIC_URL',
  'HULAKI_SMTP_URL',
  'HULAKI_MAIL_FROM',
  'HULAKI_OIDC_ISSUER',
  'HULAKI_OIDC_CLIENT_ID',
  'HULAKI_OIDC_CLIENT_SECRET',
  'HULAKI_OIDC_NAME',
  'HULAKI_OIDC_NEWCOMERS',
  'HULAKI_WEBHOOK_ALLOWED_NETWORKS',
  'HULAKI_WEBHOOK_CA_FILE',
  'HULAKI_CARRIER_ALLOWED_NETWORKS',
  'HULAKI_CARRIER_CA_FILE',
  'HULAKI_TLS_CERT_FILE',
  'HULAKI_TLS_KEY_FILE',
  'HULAKI_VENDOR',
  'HULAKI_LOG_LEVEL',
  'HULAKI_CLOCK',
  'HULAKI_SIMULATOR_RECEIPT_DELAY_MS',
  'HULAKI_SIMULATOR_SEGMENTS_PER_SECOND',
  'HULAKI_KEEP_TEST_MESSAGES_DAYS',
] as const
type Setting = (typeof SETTINGS)[number]

/** Whoever works with it may have them in the same environment. */
const OF_THE_COMMAND_LINE = ['HULAKI_URL', 'HULAKI_TOKEN', 'HULAKI_API_KEY', 'HULAKI_WEBHOOK_SECRET']

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const USUAL_DRAIN_SECONDS = 5
const DAY_MS = 86_400_000

export function readConfig(env: Record<string, string | undefined>): { config: Config } | { faults: string[] } {
  const read = new Reader(env)
  const databaseUrl = read.databaseUrl()
  const clock = read.choice('HULAKI_CLOCK', ['system', 'manual'], 'system')
  const config: Config = {
    port: read.wholeNumber('PORT', { from: 0, to: 65_535, otherwise: 8080 }),
    host: read.text('HOST') ?? '127.0.0.1',
    databaseUrl,
    dataDirectory: read.text('HULAKI_DATA_DIR') ?? './data',
    roles: read.roles(databaseUrl === null),
    // A manual clock stands in one process; nobody else could be moved with it.
    processes: read.wholeNumber('HULAKI_PROCESSES', {
      from: 1,
      to: 256,
      otherwise: clock === 'manual' ? 1 : usualProcesses(),
    }),
    // A database of its own is how a service stands behind a balancer, which has to notice.
    drainSeconds: read.wholeNumber('HULAKI_DRAIN_SECONDS', {
      from: 0,
      to: 300,
      otherwise: databaseUrl === null ? 0 : USUAL_DRAIN_SECONDS,
    }),
    operatorToken: read.operatorToken(),
    keyringFile: read.keyringFile(),
    demo: read.choice('HULAKI_DEMO', ['on', 'off'], databaseUrl === null ? 'on' : 'off') === 'on',
    trustedProxies: read.networks('HULAKI_TRUSTED_PROXIES'),
    publicUrl: read.publicUrl(),
    oidc: read.oidc(),
    mail: read.mail(),
    webhookAllowedNetworks: read.networks('HULAKI_WEBHOOK_ALLOWED_NETWORKS'),
    webhookCaFile: read.text('HULAKI_WEBHOOK_CA_FILE'),
    carrierAllowedNetworks: read.networks('HULAKI_CARRIER_ALLOWED_NETWORKS'),
    carrierCaFile: read.text('HULAKI_CARRIER_CA_FILE'),
    tls: read.tls(),
    vendor: read.vendor(),
    logLevel: read.choice('HULAKI_LOG_LEVEL', LOG_LEVELS, 'info'),
    clock,
    simulator: {
      receiptDelayMs: read.wholeNumber('HULAKI_SIMULATOR_RECEIPT_DELAY_MS', { from: 0, to: DAY_MS, otherwise: 0 }),
      segmentsPerSecond: read.wholeNumber('HULAKI_SIMULATOR_SEGMENTS_PER_SECOND', {
        from: 1,
        to: 100_000,
        otherwise: null,
      }),
    },
    keepTestMessagesDays: read.wholeNumber('HULAKI_KEEP_TEST_MESSAGES_DAYS', { from: 1, to: 36_500, otherwise: 30 }),
  }
  if (clock === 'manual' && config.processes > 1) {
    read.faults.push(
      'HULAKI_CLOCK=manual needs HULAKI_PROCESSES=1: a clock that is moved by hand stands in one process.',
    )
  }
  return read.faults.length > 0 ? { faults: read.faults } : { config }
}

/** The database wants its cores as well; more processes than that only take turns. */
function usualProcesses(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2))
}

/** With a password that is not percent-encoded it either cannot be read, or says something else: # begins a fragment, / the path. */
function isAddress(text: string): boolean {
  // Where a socket's folder is named behind the ?, a user may stand before no host at all.
  const url = URL.parse(text.replace('@/', '@localhost/'))
  return url !== null && url.hash === '' && !url.pathname.includes('@')
}

/** As libpq allows it: one behind the other before the path, or in `host=`. */
function namesSeveralHosts(text: string): boolean {
  const [, authority = '', query = ''] = /^\w+:\/\/([^/?]*)[^?]*\??(.*)$/.exec(text) ?? []
  const hosts = [authority.slice(authority.lastIndexOf('@') + 1), ...new URLSearchParams(query).getAll('host')]
  return hosts.some((host) => host.includes(','))
}

/** With one host, what else libpq knows (any, read-write, primary) is what we ask of it anyway. */
function wantsAStandby(text: string): boolean {
  return /[?&]target_session_attrs=(?!(any|read-write|primary)(&|$))/.test(text)
}

/** To the driver these modes are one, the strictest; under their own names it warns of a time when they will not be. */
function sayingWhatIsMeant(databaseUrl: string): string {
  if (databaseUrl.includes('uselibpqcompat=true')) return databaseUrl
  return databaseUrl.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}

/** Found here, before anything is brought up, and named: what OpenSSL says of them names neither setting nor file. */
function tlsFaults(certFile: string, keyFile: string): string[] {
  const read = (file: string) => readFileSync(file, 'utf8')
  const faults = [
    ...faultOf(
      `HULAKI_TLS_CERT_FILE: no certificate (PEM) can be read from ${certFile}`,
      () => new X509Certificate(read(certFile)),
    ),
    ...faultOf(`HULAKI_TLS_KEY_FILE: no private key (PEM) can be read from ${keyFile}`, () =>
      createPrivateKey(read(keyFile)),
    ),
  ]
  if (faults.length > 0) return faults
  return faultOf(`HULAKI_TLS_KEY_FILE and HULAKI_TLS_CERT_FILE: ${keyFile} does not serve with ${certFile}`, () =>
    createSecureContext({ cert: read(certFile), key: read(keyFile) }),
  )
}

function faultOf(sentence: string, attempt: () => unknown): string[] {
  try {
    attempt()
    return []
  } catch (fault) {
    return [`${sentence} (${reason(fault)}).`]
  }
}

class Reader {
  readonly faults: string[] = []
  readonly #env: Record<string, string | undefined>

  constructor(env: Record<string, string | undefined>) {
    this.#env = env
    const known: readonly string[] = [...SETTINGS, ...OF_THE_COMMAND_LINE]
    for (const name of Object.keys(env)) {
      if (name.startsWith('HULAKI_') && !known.includes(name)) this.faults.push(`${name} is not a setting of Hulaki.`)
    }
  }

  /** An empty value is the same as none. */
  text(name: Setting): string | null {
    return this.#env[name]?.trim() || null
  }

  wholeNumber<Otherwise extends number | null>(
    name: Setting,
    { from, to, otherwise }: { from: number; to: number; otherwise: Otherwise },
  ): number | Otherwise {
    const text = this.text(name)
    if (text === null) return otherwise
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= from && value <= to) return value
    this.faults.push(`${name} must be a whole number from ${from} to ${to}, not '${text}'.`)
    return otherwise
  }

  choice<Choice extends string>(name: Setting, choices: readonly Choice[], otherwise: Choice): Choice {
    const text = this.text(name)
    if (text === null) return otherwise
    const choice = choices.find((candidate) => candidate === text)
    if (!choice) this.faults.push(`${name} must be one of ${choices.join(', ')}, not '${text}'.`)
    return choice ?? otherwise
  }

  list(name: Setting): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** An origin: a path in front of ours is not known to the console. */
  publicUrl(): string | null {
    const text = this.text('HULAKI_PUBLIC_URL')
    if (text === null) return null
    const url = URL.parse(text)
    if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
    this.faults.push(`HULAKI_PUBLIC_URL must be an address such as https://sms.example.com, not '${text}'.`)
    return null
  }

  /** Whoever asks for a new password could otherwise say where its link leads. */
  mail(): Config['mail'] {
    const url = this.text('HULAKI_SMTP_URL')
    if (url === null) return null
    const from = this.text('HULAKI_MAIL_FROM')
    if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
      this.faults.push('HULAKI_SMTP_URL must be an address such as smtps://user:password@mail.example.com.')
    if (from === null) this.faults.push('HULAKI_SMTP_URL needs HULAKI_MAIL_FROM: mail says whom it is from.')
    if (this.text('HULAKI_PUBLIC_URL') === null)
      this.faults.push('HULAKI_SMTP_URL needs HULAKI_PUBLIC_URL: links in mail lead there.')
    return { url, from: from ?? '' }
  }

  oidc(): Config['oidc'] {
    const issuer = this.text('HULAKI_OIDC_ISSUER')
    const others = ['HULAKI_OIDC_CLIENT_ID', 'HULAKI_OIDC_CLIENT_SECRET', 'HULAKI_OIDC_NEWCOMERS'] as const
    const alone = others.find((name) => this.text(name) !== null)
    if (issuer === null) {
      if (alone) this.faults.push(`${alone} needs HULAKI_OIDC_ISSUER.`)
      return null
    }
    if (!/^https?:$/.test(URL.parse(issuer)?.protocol ?? ''))
      this.faults.push(`HULAKI_OIDC_ISSUER must be an address such as https://accounts.example.com, not '${issuer}'.`)
    const clientId = this.text('HULAKI_OIDC_CLIENT_ID')
    if (clientId === null) this.faults.push('HULAKI_OIDC_ISSUER needs HULAKI_OIDC_CLIENT_ID.')
    const newcomersTo = this.text('HULAKI_OIDC_NEWCOMERS')
    if (newcomersTo !== null && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(newcomersTo))
      this.faults.push('HULAKI_OIDC_NEWCOMERS must be the id of a workspace.')
    const clientSecret = this.text('HULAKI_OIDC_CLIENT_SECRET')
    const name = this.text('HULAKI_OIDC_NAME') ?? URL.parse(issuer)?.hostname ?? ''
    return { issuer, clientId: clientId ?? '', clientSecret, name, newcomersTo }
  }

  networks(name: Setting): string[] {
    const networks = this.list(name)
    for (const network of networks) {
      if (!parseNetwork(network))
        this.faults.push(`${name} must list addresses or networks, and '${network}' is neither.`)
    }
    return networks
  }

  /** 'all' is all but the simulator where the database is one's own: it is for a start without carriers, and can be asked for. */
  roles(bundled: boolean): RoleName[] {
    const names = this.list('HULAKI_ROLES')
    for (const name of names) {
      if (name !== 'all' && !ROLE_NAMES.some((known) => known === name)) {
        this.faults.push(`HULAKI_ROLES must be 'all' or list some of ${ROLE_NAMES.join(', ')}, not '${name}'.`)
      }
    }
    const isAll = names.length === 0 || names.includes('all')
    const isPartOfAll = (name: RoleName) => bundled || name !== 'simulator'
    return ROLE_NAMES.filter((name) => names.includes(name) || (isAll && isPartOfAll(name)))
  }

  /** Never repeated in a fault: it may hold a password. */
  databaseUrl(): string | null {
    const text = this.text('DATABASE_URL')
    if (text === null) return null
    if (!/^postgres(ql)?:\/\/\S+$/.test(text)) {
      this.faults.push('DATABASE_URL must begin with postgres:// or postgresql://.')
    } else if (namesSeveralHosts(text)) {
      this.faults.push(
        'DATABASE_URL names several hosts; name one address that always leads to the primary, such as a virtual IP or a DNS name: after a failover the service reconnects there by itself.',
      )
    } else if (wantsAStandby(text)) {
      this.faults.push(
        'DATABASE_URL asks for a server that can only be read (target_session_attrs); Hulaki needs the primary.',
      )
    } else if (!isAddress(text)) {
      this.faults.push(
        'DATABASE_URL is no address; within user and password write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25.',
      )
    }
    return sayingWhatIsMeant(text)
  }

  operatorToken(): string | null {
    const token = this.text('HULAKI_OPERATOR_TOKEN')
    if (token !== null && (token.length < SHORTEST_OPERATOR_TOKEN || !/^[\x21-\x7e]+$/.test(token))) {
      this.faults.push(
        `HULAKI_OPERATOR_TOKEN must be at least ${SHORTEST_OPERATOR_TOKEN} printable characters without spaces.`,
      )
    }
    return token
  }

  keyringFile(): string | null {
    const file = this.text('HULAKI_KEYRING_FILE')
    if (file !== null && !existsSync(file)) {
      this.faults.push(
        `HULAKI_KEYRING_FILE names ${file}, where none can be found; for a new keyring start once without it and move the keyring.json of the data folder there.`,
      )
    }
    return file
  }

  tls(): Config['tls'] {
    const certFile = this.text('HULAKI_TLS_CERT_FILE')
    const keyFile = this.text('HULAKI_TLS_KEY_FILE')
    if (certFile && keyFile) {
      this.faults.push(...tlsFaults(certFile, keyFile))
      return { certFile, keyFile }
    }
    if (certFile || keyFile)
      this.faults.push('HULAKI_TLS_CERT_FILE and HULAKI_TLS_KEY_FILE go together; one of them is missing.')
    return null
  }

  vendor(): string {
    const vendor = this.text('HULAKI_VENDOR') ?? 'svc'
    if (!/^[a-z][a-z0-9]{0,15}$/.test(vendor)) {
      this.faults.push(`HULAKI_VENDOR must be one short word of small letters and digits, not '${vendor}'.`)
    }
    return vendor
  }
}
