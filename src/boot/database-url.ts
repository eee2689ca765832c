// Where the database is: one address, which leads to the primary.
import type { Environment } from './environment.ts'

/** Never repeated in a fault: it may hold a password. */
export function databaseUrlFrom(env: Environment): string | null {
  const text = env.text('DATABASE_URL')
  if (text === null) return null
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) {
    env.faults.push('DATABASE_URL must begin with postgres:// or postgresql://.')
  } else if (namesSeveralHosts(text)) {
    env.faults.push(
      'DATABASE_URL names several hosts; name one address that always leads to the primary, such as a virtual IP or a DNS name: after a failover the service reconnects there by itself.',
    )
  } else if (wantsAStandby(text)) {
    env.faults.push(
      'DATABASE_URL asks for a server that can only be read (target_session_attrs); Hulaki needs the primary.',
    )
  } else if (!isAddress(text)) {
    env.faults.push(
      'DATABASE_URL is no address; within user and password write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25.',
    )
  }
  return sayingWhatIsMeant(text)
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
