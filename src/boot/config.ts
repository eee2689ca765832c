// Reads the settings from the environment and collects every error. Errors do not repeat URLs: they may contain passwords.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { DAY_MS } from '../domain/durations.ts'
import { LEAST_DAYS, type Retention } from '../domain/service/retention.ts'
import type { OidcSettings } from '../identity/oidc.ts'
import type { TracingSettings } from '../runtime/tracer.ts'
import { databaseUrlFrom } from './database-url.ts'
import { Environment, type Setting } from './environment.ts'
import { MIN_OPERATOR_TOKEN_LENGTH } from './first-start.ts'
import { type TlsSettings, tlsFrom } from './tls-files.ts'
import { tracingFrom } from './tracing-settings.ts'

const ROLE_NAMES = ['api', 'delivery', 'webhooks', 'upkeep', 'simulator'] as const
export type RoleName = (typeof ROLE_NAMES)[number]

/** Any number of processes can run these roles, on one or several machines. */
export const isShared = (role: RoleName): boolean => role === 'api' || role === 'delivery' || role === 'webhooks'

export interface Config {
  port: number
  host: string
  /** null: the bundled PostgreSQL. */
  databaseUrl: string | null
  /** A pooler for the transactions with the same database (D90). */
  poolerUrl: string | null
  dataDirectory: string
  roles: readonly RoleName[]
  /** How many processes run the shared roles; with more than one, the other roles run in the primary process. */
  processes: number
  /** How long /readyz responds 503 before a stop. */
  drainSeconds: number
  operatorToken: string | null
  keyringFile: string | null
  demo: boolean
  trustedProxies: string[]
  /** The public URL; null: the URL of each request. */
  publicUrl: string | null
  /** People without an invitation become viewers of `newcomersTo`, or cannot sign in. */
  oidc: (OidcSettings & { newcomersTo: string | null }) | null
  mail: { url: string; from: string } | null
  webhookAllowedNetworks: string[]
  webhookCaFile: string | null
  /** D50 */
  carrierAllowedNetworks: string[]
  carrierCaFile: string | null
  tls: TlsSettings | null
  /** `port` null: the API's listener serves /metrics. */
  metrics: { token: string | null; port: number | null; host: string }
  /** null: no traces. */
  tracing: TracingSettings | null
  vendor: string
  logLevel: string
  logFormat: (typeof LOG_FORMATS)[number]
  clock: 'system' | 'manual'
  simulator: { receiptDelayMs: number; segmentsPerSecond: number | null }
  /** D44 */
  retention: Retention
}

/** `auto` is text on a terminal, and JSON otherwise. */
const LOG_FORMATS = ['auto', 'json', 'text'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const DEFAULT_DRAIN_SECONDS = 5

export function readConfig(variables: Record<string, string | undefined>): { config: Config } | { errors: string[] } {
  const env = new Environment(variables)
  const databaseUrl = databaseUrlFrom(env)
  const clock = env.choice('HULAKI_CLOCK', ['system', 'manual'], 'system')
  const config: Config = {
    port: env.wholeNumber('PORT', { from: 0, to: 65_535, otherwise: 8080 }),
    host: env.text('HOST') ?? '127.0.0.1',
    databaseUrl,
    poolerUrl: poolerUrlFrom(env, databaseUrl),
    dataDirectory: env.text('HULAKI_DATA_DIR') ?? './data',
    roles: rolesFrom(env, databaseUrl === null),
    // A manual clock exists in one process and cannot move others.
    processes: env.wholeNumber('HULAKI_PROCESSES', {
      from: 1,
      to: 256,
      otherwise: clock === 'manual' ? 1 : defaultProcesses(),
    }),
    // A service with DATABASE_URL usually runs behind a load balancer.
    drainSeconds: env.wholeNumber('HULAKI_DRAIN_SECONDS', {
      from: 0,
      // With the time that the roles may take, it ends within the stop time-outs of deploy/.
      to: 90,
      otherwise: databaseUrl === null ? 0 : DEFAULT_DRAIN_SECONDS,
    }),
    operatorToken: operatorTokenFrom(env),
    keyringFile: keyringFileFrom(env),
    demo: env.choice('HULAKI_DEMO', ['on', 'off'], databaseUrl === null ? 'on' : 'off') === 'on',
    trustedProxies: env.networks('HULAKI_TRUSTED_PROXIES'),
    publicUrl: publicUrlFrom(env),
    oidc: oidcFrom(env),
    mail: mailFrom(env),
    webhookAllowedNetworks: env.networks('HULAKI_WEBHOOK_ALLOWED_NETWORKS'),
    webhookCaFile: env.text('HULAKI_WEBHOOK_CA_FILE'),
    carrierAllowedNetworks: env.networks('HULAKI_CARRIER_ALLOWED_NETWORKS'),
    carrierCaFile: env.text('HULAKI_CARRIER_CA_FILE'),
    tls: tlsFrom(env),
    metrics: metricsFrom(env),
    tracing: tracingFrom(env),
    vendor: vendorFrom(env),
    logLevel: env.choice('HULAKI_LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: env.choice('HULAKI_LOG_FORMAT', LOG_FORMATS, 'auto'),
    clock,
    simulator: {
      receiptDelayMs: env.wholeNumber('HULAKI_SIMULATOR_RECEIPT_DELAY_MS', { from: 0, to: DAY_MS, otherwise: 0 }),
      segmentsPerSecond: env.wholeNumber('HULAKI_SIMULATOR_SEGMENTS_PER_SECOND', {
        from: 1,
        to: 100_000,
        otherwise: null,
      }),
    },
    retention: retentionFrom(env),
  }
  if (clock === 'manual' && config.processes > 1) {
    env.errors.push('HULAKI_CLOCK=manual requires HULAKI_PROCESSES=1.')
  }
  return env.errors.length > 0 ? { errors: env.errors } : { config }
}

/** D44 */
function retentionFrom(env: Environment): Retention {
  const days = (name: Setting, { otherwise, least = 0 }: { otherwise: number; least?: number }) => {
    const value = env.wholeNumber(name, { from: 0, to: 36_500, otherwise })
    if (value > 0 && value < least) env.errors.push(`${name} must be at least ${least}, or 0 for no limit.`)
    return value
  }
  return {
    texts: days('HULAKI_KEEP_TEXTS_DAYS', { otherwise: 90, least: LEAST_DAYS.texts }),
    messages: days('HULAKI_KEEP_MESSAGES_DAYS', { otherwise: 400, least: LEAST_DAYS.messages }),
    testMessages: days('HULAKI_KEEP_TEST_MESSAGES_DAYS', { otherwise: 30 }),
    replies: days('HULAKI_KEEP_REPLIES_DAYS', { otherwise: 400 }),
    audit: days('HULAKI_KEEP_AUDIT_DAYS', { otherwise: 800 }),
  }
}

/** The other half of the cores is for the database. */
function defaultProcesses(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2))
}

/** Only an origin: the console does not support a path prefix. */
function publicUrlFrom(env: Environment): string | null {
  const text = env.text('HULAKI_PUBLIC_URL')
  if (text === null) return null
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  env.errors.push('HULAKI_PUBLIC_URL must be a URL like https://sms.example.com, without user and path.')
  return null
}

/** HULAKI_PUBLIC_URL is required: otherwise the Host header of a password reset request could choose where its link points. */
function mailFrom(env: Environment): Config['mail'] {
  const url = env.text('HULAKI_SMTP_URL')
  if (url === null) return null
  const from = env.text('HULAKI_MAIL_FROM')
  if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
    env.errors.push('HULAKI_SMTP_URL must be a URL like smtps://user:password@mail.example.com.')
  if (from === null) env.errors.push('HULAKI_SMTP_URL requires HULAKI_MAIL_FROM, the sender address.')
  if (env.text('HULAKI_PUBLIC_URL') === null)
    env.errors.push('HULAKI_SMTP_URL requires HULAKI_PUBLIC_URL, the address in e-mail links.')
  return { url, from: from ?? '' }
}

function oidcFrom(env: Environment): Config['oidc'] {
  const issuer = env.text('HULAKI_OIDC_ISSUER')
  const others = ['HULAKI_OIDC_CLIENT_ID', 'HULAKI_OIDC_CLIENT_SECRET', 'HULAKI_OIDC_NEWCOMERS'] as const
  const alone = others.find((name) => env.text(name) !== null)
  if (issuer === null) {
    if (alone) env.errors.push(`${alone} requires HULAKI_OIDC_ISSUER.`)
    return null
  }
  if (!/^https?:$/.test(URL.parse(issuer)?.protocol ?? ''))
    env.errors.push('HULAKI_OIDC_ISSUER must be a URL like https://accounts.example.com.')
  const clientId = env.text('HULAKI_OIDC_CLIENT_ID')
  if (clientId === null) env.errors.push('HULAKI_OIDC_ISSUER requires HULAKI_OIDC_CLIENT_ID.')
  const newcomersTo = env.text('HULAKI_OIDC_NEWCOMERS')
  if (newcomersTo !== null && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(newcomersTo))
    env.errors.push('HULAKI_OIDC_NEWCOMERS must be a workspace ID.')
  const clientSecret = env.text('HULAKI_OIDC_CLIENT_SECRET')
  const name = env.text('HULAKI_OIDC_NAME') ?? URL.parse(issuer)?.hostname ?? ''
  return { issuer, clientId: clientId ?? '', clientSecret, name, newcomersTo }
}

/** With DATABASE_URL, 'all' does not include the simulator, which is for a start without carriers. */
function poolerUrlFrom(env: Environment, databaseUrl: string | null): string | null {
  const poolerUrl = databaseUrlFrom(env, 'HULAKI_POOLER_URL')
  if (poolerUrl !== null && databaseUrl === null)
    env.errors.push('HULAKI_POOLER_URL requires DATABASE_URL: the same database without the pooler.')
  return poolerUrl
}

function rolesFrom(env: Environment, bundled: boolean): RoleName[] {
  const names = env.list('HULAKI_ROLES')
  for (const name of names) {
    if (name !== 'all' && !ROLE_NAMES.some((known) => known === name)) {
      env.errors.push(`HULAKI_ROLES must be 'all' or a list of ${ROLE_NAMES.join(', ')}, not '${name}'.`)
    }
  }
  const isAll = names.length === 0 || names.includes('all')
  const isPartOfAll = (name: RoleName) => bundled || name !== 'simulator'
  return ROLE_NAMES.filter((name) => names.includes(name) || (isAll && isPartOfAll(name)))
}

function operatorTokenFrom(env: Environment): string | null {
  const token = env.text('HULAKI_OPERATOR_TOKEN')
  if (token !== null && (token.length < MIN_OPERATOR_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token))) {
    env.errors.push(
      `HULAKI_OPERATOR_TOKEN must be at least ${MIN_OPERATOR_TOKEN_LENGTH} printable characters without spaces.`,
    )
  }
  return token
}

function metricsFrom(env: Environment): Config['metrics'] {
  const token = env.text('HULAKI_METRICS_TOKEN')
  if (token !== null && !/^[\x21-\x7e]{16,}$/.test(token))
    env.errors.push('HULAKI_METRICS_TOKEN must be at least 16 printable characters without spaces.')
  const port = env.wholeNumber('HULAKI_METRICS_PORT', { from: 1, to: 65_535, otherwise: null })
  const host = env.text('HULAKI_METRICS_HOST')
  if (host !== null && port === null) env.errors.push('HULAKI_METRICS_HOST requires HULAKI_METRICS_PORT.')
  return { token, port, host: host ?? '127.0.0.1' }
}

function keyringFileFrom(env: Environment): string | null {
  const file = env.text('HULAKI_KEYRING_FILE')
  if (file !== null && !existsSync(file)) {
    env.errors.push(
      `HULAKI_KEYRING_FILE: ${file} does not exist; to create a keyring, start once without this setting and move keyring.json from the data folder there.`,
    )
  }
  return file
}

function vendorFrom(env: Environment): string {
  const vendor = env.text('HULAKI_VENDOR') ?? 'svc'
  if (!/^[a-z][a-z0-9]{0,15}$/.test(vendor)) {
    env.errors.push(
      `HULAKI_VENDOR must be 1 to 16 lowercase letters and digits that start with a letter, not '${vendor}'.`,
    )
  }
  return vendor
}
