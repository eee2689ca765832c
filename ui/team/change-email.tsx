// An operator changes the e-mail address of a person.
import { useState } from 'preact/hooks'
import { useAct } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'

interface Props {
  person: { id: string; email: string; name: string }
  close: () => void
}

export function ChangeEmail({ person, close }: Props) {
  const [email, setEmail] = useState(person.email)
  const { mutate, isPending, error } = useAct('changePerson', ['listMembers', 'listOperators', 'whoami', 'getAccount'])
  return (
    <Dialog title={words.team.changeEmailOf(person.name)} close={close}>
      <Form
        act={words.account.save}
        submit={() => mutate({ params: { personId: person.id }, body: { email } }, { onSuccess: close })}
        isBusy={isPending}
        fault={error}
        fields={['email']}
        cancel={close}
      >
        <TextField
          label={words.signIn.email}
          hint={words.team.changeEmailMeans}
          type="email"
          value={email}
          set={setEmail}
          wrong={error?.of('email')}
        />
      </Form>
    </Dialog>
  )
}
