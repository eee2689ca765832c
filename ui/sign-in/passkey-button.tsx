// In by a passkey, where the browser has some; or to show again who one is.
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { Fault } from '../api/fault.ts'
import { inBackground } from '../background.ts'
import { FaultNote } from '../parts/fault.tsx'
import { hasPasskeys, showPasskey } from '../parts/passkeys.ts'
import { words } from '../words/index.ts'

interface Props {
  how: 'signInByPasskey' | 'signInAgainByPasskey'
  done: () => void
}

export function PasskeyButton({ how, done }: Props) {
  const [fault, setFault] = useState<Fault | null>(null)
  if (!hasPasskeys()) return null
  const act = async () => {
    try {
      const { id, options } = await call('askForPasskey', {})
      await call(how, { body: { id, response: await showPasskey(options) } })
      done()
    } catch (thrown) {
      // Whoever closed the browser's own dialog knows.
      setFault(thrown instanceof Fault ? thrown : null)
    }
  }
  return (
    <>
      <button type="button" onClick={() => inBackground(act())}>
        {words.signIn.passkey}
      </button>
      {fault && <FaultNote fault={fault} />}
    </>
  )
}
