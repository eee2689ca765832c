// Signing in: e-mail address and password, a code, a passkey, or a provider.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../api/use.ts'
import { CodeField, PasswordField } from '../parts/credentials.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { OtherSignIns } from './other-sign-ins.tsx'

interface Props {
  done: () => void
  /** Below the form, with the address that was typed so far. */
  children?: (email: string) => ComponentChildren
}

export function SignInForm({ done, children }: Props) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { mutate, isPending, error, data } = useAction('signIn')
  const needsCode = data?.needs === 'code' || code !== ''
  const submit = () =>
    mutate(
      { body: { email, password, ...(code === '' ? {} : { code }) } },
      { onSuccess: ({ signedIn }) => signedIn && done() },
    )
  return (
    <>
      <Form
        submitLabel={words.signIn.act}
        submit={submit}
        mutation={{ isPending, error }}
        fields={['email', 'password', 'code']}
      >
        <TextField
          label={words.signIn.email}
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          value={email}
          set={setEmail}
          error={error?.of('email')}
        />
        <PasswordField name="password" value={password} set={setPassword} error={error?.of('password')} />
        {needsCode && (
          <CodeField
            hint={words.signIn.codeHint}
            name="code"
            autoFocus
            value={code}
            set={setCode}
            error={error?.of('code')}
          />
        )}
      </Form>
      <OtherSignIns passkeyCall="signInByPasskey" done={done} />
      {children?.(email)}
    </>
  )
}
