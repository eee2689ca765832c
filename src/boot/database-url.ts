// Reads and checks DATABASE_URL and HULAKI_POOLER_URL.
import { urlsOf } from '../store/database/hosts.ts'
import type { Environment } from './environment.ts'

/** Errors do not repeat the URL: it may contain a password. */
export function databaseUrlFrom(
  env: Environment,
  name: 'DATABASE_URL' | 'HULAKI_POOLER_URL' = 'DATABASE_URL',
): string | null {
  const text = env.text(name)
  if (text === null) return null
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) {
    env.errors.push(`${name} must begin with postgres:// or postgresql://.`)
  } else if (hasHostList(text)) {
    env.errors.push(`${name} has several hosts in host=; write them before the path: postgres://user@one,two/database.`)
  } else if (asksForStandby(text)) {
    env.errors.push(`${name} asks for a read-only server (target_session_attrs); Hulaki requires the primary.`)
  } else if (!urlsOf(text).every(isValidUrl)) {
    env.errors.push(
      `${name} is not a valid URL; in the user and password, write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25.`,
    )
  }
  return withExplicitSslMode(text)
}

/** A password that is not percent-encoded changes the meaning of the URL: # starts a fragment, / the path. */
function isValidUrl(text: string): boolean {
  // A URL with a socket folder after the ? may have a user and no host.
  const url = URL.parse(text.replace('@/', '@localhost/'))
  return url !== null && url.hash === '' && !url.pathname.includes('@')
}

/** libpq allows several hosts in the query too. */
function hasHostList(text: string): boolean {
  const [, query = ''] = /^[^?]*\??(.*)$/.exec(text) ?? []
  return new URLSearchParams(query).getAll('host').some((host) => host.includes(','))
}

/** The other values (any, read-write, primary) all mean the primary. */
function asksForStandby(text: string): boolean {
  return /[?&]target_session_attrs=(?!(any|read-write|primary)(&|$))/.test(text)
}

/** The driver treats these modes as verify-full and warns that this will change. */
function withExplicitSslMode(databaseUrl: string): string {
  if (databaseUrl.includes('uselibpqcompat=true')) return databaseUrl
  return databaseUrl.replace(/(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, 'verify-full')
}
