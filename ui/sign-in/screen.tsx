// The way in: e-mail address and password. Who was signed out meanwhile is afterwards where they were.
import { useState } from 'preact/hooks'
import { useAct } from '../api/use.ts'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { Door } from './door.tsx'

export function Screen() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useAct('signIn', ['whoami'])
  return (
    <Door title={words.signIn.title}>
      <Form
        act={words.signIn.act}
        submit={() => mutate({ body: { email, password } })}
        isBusy={isPending}
        fault={error}
        fields={['email', 'password']}
      >
        <TextField
          label={words.signIn.email}
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          set={setEmail}
          wrong={error?.of('email')}
        />
        <TextField
          label={words.signIn.password}
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          set={setPassword}
          wrong={error?.of('password')}
        />
      </Form>
      <p class="quiet">{words.signIn.forgotten}</p>
    </Door>
  )
}
