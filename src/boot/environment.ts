// Reads and checks single environment variables; collects errors instead of throwing them.
import { parseNetwork } from '../domain/network.ts'

export const SETTINGS = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'HULAKI_POOLER_URL',
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
  'HULAKI_METRICS_TOKEN',
  'HULAKI_METRICS_PORT',
  'HULAKI_METRICS_HOST',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TRACES_COMPRESSION',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SDK_DISABLED',
  'HULAKI_VENDOR',
  'HULAKI_LOG_LEVEL',
  'HULAKI_LOG_FORMAT',
  'HULAKI_CLOCK',
  'HULAKI_SIMULATOR_RECEIPT_DELAY_MS',
  'HULAKI_SIMULATOR_SEGMENTS_PER_SECOND',
  'HULAKI_KEEP_TEXTS_DAYS',
  'HULAKI_KEEP_MESSAGES_DAYS',
  'HULAKI_KEEP_TEST_MESSAGES_DAYS',
  'HULAKI_KEEP_REPLIES_DAYS',
  'HULAKI_KEEP_AUDIT_DAYS',
] as const
export type Setting = (typeof SETTINGS)[number]

/** Settings of the CLI may be in the same environment. */
const CLI_SETTINGS = ['HULAKI_URL', 'HULAKI_TOKEN', 'HULAKI_API_KEY', 'HULAKI_WEBHOOK_SECRET']

export class Environment {
  readonly errors: string[] = []
  readonly #env: Record<string, string | undefined>

  constructor(env: Record<string, string | undefined>) {
    this.#env = env
    const known: readonly string[] = [...SETTINGS, ...CLI_SETTINGS]
    for (const name of Object.keys(env)) {
      if (name.startsWith('HULAKI_') && !known.includes(name)) this.errors.push(`${name} is not a setting of Hulaki.`)
    }
  }

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
    this.errors.push(`${name} must be a whole number from ${from} to ${to}, not '${text}'.`)
    return otherwise
  }

  choice<Choice extends string>(name: Setting, choices: readonly Choice[], otherwise: Choice): Choice {
    const text = this.text(name)
    if (text === null) return otherwise
    const choice = choices.find((candidate) => candidate === text)
    if (!choice) this.errors.push(`${name} must be one of ${choices.join(', ')}, not '${text}'.`)
    return choice ?? otherwise
  }

  list(name: Setting): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  networks(name: Setting): string[] {
    const networks = this.list(name)
    for (const network of networks) {
      if (!parseNetwork(network))
        this.errors.push(`${name} must be a list of addresses or networks; '${network}' is not one.`)
    }
    return networks
  }
}
