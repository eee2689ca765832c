// Verifies the signature of a pasted webhook request in the browser; nothing is sent.
import { useState } from 'preact/hooks'
import { inBackground } from '../background.ts'
import { AreaField, Form, TextField } from '../parts/field.tsx'
import { count, fromNow } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Status } from '../parts/status.tsx'
import { words } from '../words/index.ts'
import { checkSignature, type Verdict } from './signature.ts'

const PASTED = { class: 'mono', rows: 3, spellcheck: false, autoComplete: 'off' } as const

export function Checker() {
  const [headers, setHeaders] = useState('')
  const [body, setBody] = useState('')
  const [secret, setSecret] = useState('')
  const [verdict, setVerdict] = useState<Verdict | 'none' | null>(null)
  // Browsers offer Web Crypto only over https and on localhost.
  if (!globalThis.crypto?.subtle) return <p>{words.webhooks.noCrypto}</p>
  const check = async () => setVerdict((await checkSignature({ headers, body, secret }, new Date())) ?? 'none')
  return (
    <section class="card stack" aria-label={words.webhooks.checker}>
      <p class="quiet">{words.webhooks.checkHint}</p>
      <Form submitLabel={words.webhooks.check} submit={() => inBackground(check())}>
        <AreaField
          {...PASTED}
          label={words.webhooks.headers}
          hint={words.webhooks.headersHint}
          error={verdict === 'none' ? words.webhooks.noSignature : null}
          value={headers}
          set={setHeaders}
        />
        <AreaField {...PASTED} label={words.webhooks.rawBody} value={body} set={setBody} />
        <TextField
          label={words.clients.webhookSecret}
          error={verdict !== null && !secret.trim().startsWith('whsec_') ? words.webhooks.needsSecret : null}
          value={secret}
          set={setSecret}
          type="password"
          autoComplete="off"
          spellcheck={false}
        />
      </Form>
      <div role="status">{verdict && verdict !== 'none' && <VerdictText verdict={verdict} />}</div>
    </section>
  )
}

function VerdictText({ verdict: { signedAt, isFresh, signatures, isTrimmed } }: { verdict: Verdict }) {
  const isRight = signatures.some(({ matches }) => matches)
  const text = isTrimmed ? words.webhooks.validTrimmed : isRight ? words.webhooks.valid : words.webhooks.invalid
  return (
    <div class="stack">
      <p>
        <strong>
          <Status tone={isRight ? (isTrimmed ? 'warn' : 'good') : 'bad'}>{text}</Status>
        </strong>
      </p>
      <ul>
        {signatures.map(({ v1, matches }, index) => (
          <li key={v1}>
            <Status tone={matches ? 'good' : 'bad'}>
              {words.webhooks.signature(count(index + 1))}{' '}
              {matches ? words.webhooks.matches : words.webhooks.matchesNot}
            </Status>
          </li>
        ))}
      </ul>
      <p>
        {words.webhooks.signedAt} <Moment at={signedAt.toISOString()} style="whole" />, {fromNow(signedAt)}.{' '}
        <Status tone={isFresh ? 'good' : 'warn'}>{isFresh ? words.webhooks.fresh : words.webhooks.stale}</Status>
      </p>
    </div>
  )
}
