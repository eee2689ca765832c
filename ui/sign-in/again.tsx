// Asks whoever is signed in to show it again, where a call wants that; the call then goes on by itself.
import { useState } from 'preact/hooks'
import { asksAgain } from '../api/again.ts'
import { useAct } from '../api/use.ts'
import { actingIn } from '../api/workspace.ts'
import { CodeField, PasswordField } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/field.tsx'
import { useStore } from '../parts/store.ts'
import { useWho } from '../who.ts'
import { words } from '../words/index.ts'
import { OtherSignIns } from './other-sign-ins.tsx'

export function SignInAgain() {
  const answer = useStore(asksAgain)
  return answer ? <Ask answer={answer} /> : null
}

function Ask({ answer }: { answer: (isShown: boolean) => void }) {
  const { person } = useWho()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { mutate, isPending, error } = useAct('signInAgain', ['whoami'])
  const close = () => answer(false)
  const here = actingIn()
  const body = { ...(person?.hasPassword && { password }), ...(person?.hasTotp && { code }) }
  return (
    <Dialog title={words.signIn.confirmIdentity} close={close}>
      <p>{words.signIn.confirmIdentityHint}</p>
      {person?.hasPassword || person?.hasTotp ? (
        <Form
          act={words.signIn.continue}
          submit={() => mutate({ body }, { onSuccess: () => answer(true) })}
          isBusy={isPending}
          fault={error}
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
