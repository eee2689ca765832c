// Asks whoever is signed in to show it again, where a call wants that; the call then goes on by itself.
import { useState } from 'preact/hooks'
import { asksAgain } from '../api/again.ts'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { useStore } from '../parts/store.ts'
import { useWho } from '../who.ts'
import { words } from '../words/index.ts'

export function SignInAgain() {
  const answer = useStore(asksAgain)
  return answer ? <Ask answer={answer} /> : null
}

function Ask({ answer }: { answer: (isShown: boolean) => void }) {
  const { person } = useWho()
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useAct('signInAgain', ['whoami'])
  const close = () => answer(false)
  if (!person?.hasPassword) {
    return (
      <Dialog title={words.signIn.again} close={close}>
        <p>{words.signIn.noPassword}</p>
        <p>
          <a href="/console/account">{words.screens.account}</a>
        </p>
      </Dialog>
    )
  }
  return (
    <Dialog title={words.signIn.again} close={close}>
      <p>{words.signIn.againWhy}</p>
      <Form
        act={words.signIn.goOn}
        submit={() => mutate({ body: { password } }, { onSuccess: () => answer(true) })}
        isBusy={isPending}
        fault={error}
        cancel={close}
      >
        <input
          type="text"
          class="hidden"
          autoComplete="username"
          value={person.email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <TextField
          label={words.signIn.password}
          type="password"
          autoComplete="current-password"
          value={password}
          set={setPassword}
        />
      </Form>
    </Dialog>
  )
}
