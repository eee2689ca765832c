// Reads the standard settings of OpenTelemetry. Without an endpoint nothing is traced.
import { hostname } from 'node:os'
import type { TracingSettings } from '../runtime/tracer.ts'
import { VERSION } from '../runtime/version.ts'
import type { Environment, Setting } from './environment.ts'

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

/** The longest timer of Node.js. In the standard, 0 means no limit. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export function tracingFrom(env: Environment): TracingSettings | null {
  // In the standard, no other value is true.
  if (env.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || env.text('OTEL_TRACES_EXPORTER') === 'none')
    return null
  const url = urlFrom(env)
  if (url === null) return null
  env.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp')
  const sampler = env.choice('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on')
  const name = env.text('OTEL_SERVICE_NAME')
  const resource = {
    ...{ 'service.name': 'hulaki', 'service.version': VERSION, 'service.instance.id': `${hostname()}:${process.pid}` },
    ...pairsFrom(env, 'OTEL_RESOURCE_ATTRIBUTES'),
    ...(name !== null && { 'service.name': name }),
  }
  return {
    url,
    protocol: protocolFrom(env),
    isCompressed: env.choice(ofTraces(env, 'COMPRESSION'), ['gzip', 'none'], 'none') === 'gzip',
    timeoutMs:
      env.wholeNumber(ofTraces(env, 'TIMEOUT'), { from: 0, to: MAX_TIMEOUT_MS, otherwise: 10_000 }) || MAX_TIMEOUT_MS,
    headers: pairsFrom(env, ofTraces(env, 'HEADERS')),
    resource,
    ratio: sampler.endsWith('always_off') ? 0 : sampler.endsWith('traceidratio') ? ratioFrom(env) : 1,
    isParentBased: sampler.startsWith('parentbased'),
  }
}

/** A setting of traces replaces that of all signals. */
function ofTraces<Name extends 'HEADERS' | 'PROTOCOL' | 'TIMEOUT' | 'COMPRESSION'>(env: Environment, name: Name) {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${name}` as const
  return env.text(own) === null ? (`OTEL_EXPORTER_OTLP_${name}` as const) : own
}

function protocolFrom(env: Environment): TracingSettings['protocol'] {
  const name = ofTraces(env, 'PROTOCOL')
  if (env.text(name) !== 'grpc') return env.choice(name, ['http/protobuf', 'http/json'], 'http/protobuf')
  env.errors.push(
    `${name} must be http/protobuf or http/json: Hulaki does not export over gRPC. Collectors accept both at port 4318.`,
  )
  return 'http/protobuf'
}

/** The endpoint of traces is used as it is; that of all signals is a base. */
function urlFrom(env: Environment): string | null {
  const own = httpUrl(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (own !== null) return own
  const base = httpUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return base === null ? null : `${base.replace(/\/$/, '')}/v1/traces`
}

/** An error does not repeat a URL: it may contain a password. */
function httpUrl(env: Environment, name: Setting): string | null {
  const text = env.text(name)
  if (text === null) return null
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    env.errors.push(`${name} must be a URL like http://127.0.0.1:4318.`)
  return text
}

function ratioFrom(env: Environment): number {
  const text = env.text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  env.errors.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not '${text}'.`)
  return 0
}

/** `name=value,name=value`, with percent-encoded values. Values may be secrets, so an error names only the setting. */
function pairsFrom(env: Environment, name: Setting): Record<string, string> {
  const pairs = env.list(name).map((item) => /^([^=\s]+)=(.*)$/.exec(item))
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        if (!pair) throw new URIError()
        const [, key = '', value = ''] = pair
        return [key.trim(), decodeURIComponent(value.trim())]
      }),
    )
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    env.errors.push(`${name} must be a list like name=value,name=value, with percent-encoded values.`)
    return {}
  }
}
