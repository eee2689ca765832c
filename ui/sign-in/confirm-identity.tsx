// Asks for the password where a call needs a recent sign-in, or for a first password; the call then continues.
import { useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { pendingConfirmation } from '../api/confirm-identity.ts'
import { queries } from '../api/queries.ts'
import { useAction } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCaller } from '../caller.ts'
import { CodeField, NewPasswordField, PasswordField } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/field.tsx'
import { useStore } from '../parts/store.ts'
import { words } from '../words/index.ts'
import { OtherSignIns } from './other-sign-ins.tsx'

export function Screen() {
  const answer = useStore(pendingConfirmation)
  return answer ? <Ask answer={answer} /> : null
}

interface Props {
  answer: (isShown: boolean) => void
}

function Ask({ answer }: Props) {
  const { person } = useCaller()
  const needsProof = person?.hasPassword || person?.hasTotp
  return (
    <Dialog
      title={needsProof ? words.signIn.confirmIdentity : words.signIn.chooseFirstPassword}
      close={() => answer(false)}
    >
      {needsProof ? <Proof answer={answer} /> : <FirstPassword answer={answer} />}
      <OtherSignIns passkeyCall="signInAgainByPasskey" done={() => answer(true)} />
    </Dialog>
  )
}

function Proof({ answer }: Props) {
  const { person } = useCaller()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { mutate, isPending, error } = useAction('signInAgain', ['whoami'])
  const body = { ...(person?.hasPassword && { password }), ...(person?.hasTotp && { code }) }
  return (
    <>
      {person?.hasPassword && <p>{words.signIn.confirmIdentityHint}</p>}
      <Form
        submitLabel={words.common.continue}
        submit={() => mutate({ body }, { onSuccess: () => answer(true) })}
        mutation={{ isPending, error }}
        cancel={() => answer(false)}
      >
        {person?.hasPassword && <PasswordField value={password} set={setPassword} />}
        {person?.hasTotp && <CodeField value={code} set={setCode} />}
      </Form>
    </>
  )
}

/** For a person who signed in by a link. The new password confirms the identity, so that no second question follows. */
function FirstPassword({ answer }: Props) {
  const { person } = useCaller()
  const [password, setPassword] = useState('')
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  // The password of an account with a passkey or a provider is set only after a recent sign-in.
  const hasOtherMethod = error?.code === 'sign_in_again'
  const save = async () => {
    setPending(true)
    setError(null)
    try {
      await call('changePassword', { body: { password } })
      await call('signInAgain', { body: { password } })
      answer(true)
    } catch (thrown) {
      setError(thrown instanceof ApiError ? thrown : null)
      setPending(false)
    }
    await queries.invalidateQueries({ queryKey: ['whoami'] })
  }
  return (
    <>
      <p>{words.signIn.firstPasswordHint}</p>
      {person && (
        <p>
          {words.signIn.addressNow} <strong class="foreign">{person.email}</strong>
        </p>
      )}
      <Form
        submitLabel={words.signIn.setAndContinue}
        submit={() => inBackground(save())}
        mutation={{ isPending, error: hasOtherMethod ? null : error }}
        fields={['password']}
        cancel={() => answer(false)}
      >
        <NewPasswordField
          value={password}
          set={setPassword}
          error={hasOtherMethod ? words.signIn.useOtherMethod : error?.of('password')}
        />
      </Form>
    </>
  )
}
