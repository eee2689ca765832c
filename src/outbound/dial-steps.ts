// The steps of a dial for diagnosis: address, connection, TLS.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { TestStep } from '../domain/carriers/carrier.ts'

export interface DialEvents {
  vetted?: (addresses: readonly string[]) => void
  connected?: () => void
}

/** The steps up to the first failure; `inWords` describes the failure. */
export async function dialInSteps(
  dial: (events: DialEvents) => Promise<Socket>,
  { isPlain, inWords }: { isPlain: boolean; inWords: (error: unknown) => string },
): Promise<TestStep[]> {
  const steps: TestStep[] = []
  let since = performance.now()
  const done = (step: TestStep['step'], detail: string) => {
    const now = performance.now()
    steps.push({ step, detail, fault: null, milliseconds: now - since })
    since = now
  }
  try {
    const socket = await dial({
      vetted: (addresses) => done('address', addresses.join(', ')),
      connected: () => done('connection', ''),
    })
    if (socket instanceof TLSSocket) done('tls', tlsOf(socket))
    socket.destroy()
  } catch (error) {
    const step =
      (['address', 'connection', ...(isPlain ? [] : (['tls'] as const))] as const)[steps.length] ?? 'connection'
    steps.push({ step, detail: '', fault: inWords(error), milliseconds: performance.now() - since })
  }
  return steps
}

/** For example `TLSv1.3, certificate of sms.example by Example CA until Nov 16 04:00:00 2027 GMT`. */
function tlsOf(socket: TLSSocket): string {
  const { subject, issuer, valid_to: until } = socket.getPeerCertificate()
  const certificate = `certificate of ${subject?.CN ?? 'unknown'} by ${issuer?.CN ?? issuer?.O ?? 'unknown'} until ${until}`
  return `${socket.getProtocol() ?? 'TLS'}, ${certificate}`.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 300)
}
