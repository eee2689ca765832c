// The way in: e-mail address and password, a passkey, or a provider. Who was signed out meanwhile is afterwards where they were.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { ROOT } from '../api/call.ts'
import { useAct, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { Door } from './door.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { Recovery } from './recovery.tsx'

export function Screen() {
  const client = useQueryClient()
  const [params] = useSearchParams()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { data: ways } = useCall('getWaysToSignIn', {})
  const { mutate, isPending, error, data } = useAct('signIn')
  // Nothing of who was here before is shown to who comes now.
  const isIn = () => inBackground(client.resetQueries())
  const needsCode = data?.needs === 'code' || code !== ''
  const submit = () =>
    mutate(
      { body: { email, password, ...(code === '' ? {} : { code }) } },
      { onSuccess: ({ signedIn }) => signedIn && isIn() },
    )
  const came = params.get('sign-in')
  return (
    <Door title={words.signIn.title}>
      {came !== null && (
        <p role="alert">
          {words.signIn.cameBack[came as keyof typeof words.signIn.cameBack] ?? words.signIn.providerFailed}
        </p>
      )}
      <Form
        act={words.signIn.act}
        submit={submit}
        isBusy={isPending}
        fault={error}
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
        {needsCode && (
          <TextField
            label={words.signIn.code}
            hint={words.signIn.codeHint}
            name="code"
            autoComplete="one-time-code"
            autoFocus
            value={code}
            set={setCode}
            wrong={error?.of('code')}
          />
        )}
      </Form>
      <div class="row">
        <PasskeyButton how="signInByPasskey" done={isIn} />
        {ways?.provider && <a href={`${ROOT}/sign-in/provider`}>{words.signIn.by(ways.provider)}</a>}
      </div>
      {ways?.mail ? <Recovery email={email} /> : <p class="quiet">{words.signIn.forgotten}</p>}
    </Door>
  )
}
