// Sign-in methods beside the password: a passkey, where the browser has any, and the provider of the service.
import { useState } from 'preact/hooks'
import { ROOT } from '../api/address.ts'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { hasPasskeys, showPasskey } from '../parts/passkeys.ts'
import { words } from '../words/index.ts'

interface Props {
  passkeyCall: 'signInByPasskey' | 'signInAgainByPasskey'
  done: () => void
}

export function OtherSignIns(props: Props) {
  const { data: ways } = useCall('getWaysToSignIn', {})
  return (
    <div class="row">
      <PasskeyButton {...props} />
      {ways?.provider && (
        <a class="button" href={`${ROOT}/sign-in/provider`}>
          {words.signIn.withProvider(ways.provider)}
        </a>
      )}
    </div>
  )
}

function PasskeyButton({ passkeyCall, done }: Props) {
  const [error, setError] = useState<ApiError | null>(null)
  if (!hasPasskeys()) return null
  const act = async () => {
    try {
      const { id, options } = await call('askForPasskey', {})
      await call(passkeyCall, { body: { id, response: await showPasskey(options) } })
      done()
    } catch (thrown) {
      // A person who closed the dialog of the browser needs no message.
      setError(thrown instanceof ApiError ? thrown : null)
    }
  }
  return (
    <>
      <button type="button" onClick={() => inBackground(act())}>
        {words.signIn.passkey}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  )
}
