// The authenticator app: set up with a QR code or a key that is shown once, enabled with its first code.
import { useMemo, useState } from 'preact/hooks'
import type { Account, TotpSecret } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { CodeField } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form } from '../parts/field.tsx'
import { Secrets } from '../parts/secret.tsx'
import { words } from '../words/index.ts'
import css from './account.module.css'
import { encodeQr, pathOf } from './qr.ts'

const RELOADS = ['getAccount', 'whoami'] as const

export function Authenticator({ account }: { account: Account }) {
  const start = useAction('startTotp')
  const remove = useAction('removeTotp', RELOADS)
  const [isRemoving, setRemoving] = useState(false)
  const stop = () => remove.mutate({}, { onSuccess: () => setRemoving(false) })
  return (
    <section class="card stack">
      <h2>{words.account.authenticator}</h2>
      <p>{account.hasTotp ? words.account.authenticatorOn : words.account.authenticatorHint}</p>
      <div class="row">
        {account.hasTotp ? (
          <button type="button" class="danger" onClick={() => setRemoving(true)}>
            {words.account.disableAuthenticator}
          </button>
        ) : (
          <button type="button" onClick={() => start.mutate({})}>
            {words.account.setUpAuthenticator}
          </button>
        )}
      </div>
      {start.error && <ErrorNote error={start.error} />}
      {start.data && <SetUp secret={start.data} close={() => start.reset()} />}
      {isRemoving && (
        <Confirm
          title={words.account.disableAuthenticator}
          effect={words.account.disableAuthenticatorEffect}
          name={account.email}
          submit={stop}
          mutation={remove}
          close={() => setRemoving(false)}
        />
      )}
    </section>
  )
}

function SetUp({ secret: { secret, uri }, close }: { secret: TotpSecret; close: () => void }) {
  const [code, setCode] = useState('')
  const { mutate, isPending, error, data } = useAction('finishTotp', RELOADS)
  if (data) {
    return (
      <Secrets
        title={words.account.recoveryCodes}
        of={[
          {
            label: words.account.recoveryCodes,
            value: data.recoveryCodes.join('\n'),
            hint: words.account.recoveryHint,
          },
        ]}
        close={close}
      />
    )
  }
  return (
    <Dialog title={words.account.setUpAuthenticator} close={close}>
      <p>
        {words.account.authenticatorSteps} <a href={uri}>{words.account.openInApp}</a>
      </p>
      <QrCode text={uri} />
      <p>{words.account.authenticatorKey}</p>
      <pre>
        <Copy text={secret}>{(secret.match(/.{1,4}/g) ?? []).join(' ')}</Copy>
      </pre>
      <Form
        submitLabel={words.account.enableAuthenticator}
        submit={() => mutate({ body: { code } })}
        mutation={{ isPending, error }}
        fields={['code']}
        cancel={close}
      >
        <CodeField
          label={words.account.authenticatorCode}
          inputMode="numeric"
          value={code}
          set={setCode}
          error={error?.of('code')}
        />
      </Form>
    </Dialog>
  )
}

/** Light modules around the code: readers need a margin of four. */
const MARGIN = 4

function QrCode({ text }: { text: string }) {
  const matrix = useMemo(() => encodeQr(text), [text])
  if (!matrix) return null
  const size = matrix.length + 2 * MARGIN
  return (
    <svg class={css.qr} viewBox={`${-MARGIN} ${-MARGIN} ${size} ${size}`} role="img" aria-label={words.account.qrCode}>
      <path d={pathOf(matrix)} />
    </svg>
  )
}
