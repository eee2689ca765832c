// Asks for the password again where a call needs a recent sign-in; the call then continues.
import { useState } from 'preact/hooks'
import { pendingConfirmation } from '../api/confirm-identity.ts'
import { useAction } from '../api/use.ts'
import { currentWorkspace } from '../api/workspace.ts'
import { useCaller } from '../caller.ts'
import { CodeField, PasswordField } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/field.tsx'
import { useStore } from '../parts/store.ts'
import { words } from '../words/index.ts'
import { OtherSignIns } from './other-sign-ins.tsx'

export function ConfirmIdentity() {
  const answer = useStore(pendingConfirmation)
  return answer ? <Ask answer={answer} /> : null
}

function Ask({ answer }: { answer: (isShown: boolean) => void }) {
  const { person } = useCaller()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { mutate, isPending, error } = useAction('signInAgain', ['whoami'])
  const close = () => answer(false)
  const here = currentWorkspace()
  const body = { ...(person?.hasPassword && { password }), ...(person?.hasTotp && { code }) }
  return (
    <Dialog title={words.signIn.confirmIdentity} close={close}>
      {person?.hasPassword && <p>{words.signIn.confirmIdentityHint}</p>}
      {person?.hasPassword || person?.hasTotp ? (
        <Form
          submitLabel={words.common.continue}
          submit={() => mutate({ body }, { onSuccess: () => answer(true) })}
          mutation={{ isPending, error }}
          cancel={close}
        >
          {person.hasPassword && <PasswordField value={password} set={setPassword} />}
          {person.hasTotp && <CodeField value={code} set={setCode} />}
        </Form>
      ) : (
        <p>
          {words.signIn.noPassword}{' '}
          <a href={here ? `/console/w/${here}/account` : '/console/account'}>{words.screens.account}</a>
        </p>
      )}
      <OtherSignIns passkeyCall="signInAgainByPasskey" done={() => answer(true)} />
    </Dialog>
  )
}
