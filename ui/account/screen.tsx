// The account of the signed-in person: profile, sign-in methods and active sessions.
import { useState } from 'preact/hooks'
import type { Account } from '../api/calls.ts'
import { queries } from '../api/queries.ts'
import { useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { chooseLanguage } from '../choices.ts'
import { NewPasswordField } from '../parts/credentials.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { LANGUAGES, words } from '../words/index.ts'
import { Authenticator } from './authenticator.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'

export function Screen() {
  const { data: account, error } = useCall('getAccount', {})
  const { data: sessions } = useCall('listSessions', {})
  const { data: passkeys } = useCall('listPasskeys', {})
  const signOut = useAction('signOut')
  const leaveConsole = () => signOut.mutate({}, { onSuccess: () => inBackground(queries.resetQueries()) })
  return (
    <Page
      title={words.screens.account}
      hasTimes
      actions={
        <button type="button" onClick={leaveConsole}>
          {words.account.signOut}
        </button>
      }
    >
      {error && !account && <ErrorNote error={error} />}
      {signOut.error && <ErrorNote error={signOut.error} />}
      {/* The sections appear together, so that nothing moves. */}
      {account && sessions && passkeys && (
        <>
          <Profile account={account} />
          <Password account={account} />
          <Authenticator account={account} />
          <Sessions items={sessions.items} />
          <Passkeys items={passkeys.items} />
        </>
      )}
    </Page>
  )
}

function Profile({ account }: { account: Account }) {
  const [name, setName] = useState(account.name)
  const [email, setEmail] = useState(account.email)
  const [language, setLanguage] = useState<string>(account.language ?? document.documentElement.lang)
  const { mutate, isPending, error } = useAction('changeAccount', ['getAccount', 'whoami'])
  const chosen = language === 'ne' ? 'ne' : 'en'
  const isNewEmail = email !== account.email
  const submit = () =>
    mutate(
      { body: { name, language: chosen, ...(isNewEmail && { email }) } },
      {
        onSuccess: (saved) => {
          setEmail(saved.email)
          if (chosen !== document.documentElement.lang) chooseLanguage(chosen)
        },
      },
    )
  return (
    <section class="card stack">
      <h2>{words.account.profile}</h2>
      <Form
        submitLabel={words.common.save}
        submit={submit}
        mutation={{ isPending, error }}
        fields={['name', 'email']}
        beside={
          <div role="status">
            {account.pendingEmail !== null && (
              <p class="foreign">{words.account.linkSent(isolated(account.pendingEmail))}</p>
            )}
          </div>
        }
      >
        <TextField label={words.signIn.name} value={name} set={setName} error={error?.of('name')} autoComplete="name" />
        <TextField
          label={words.signIn.email}
          hint={words.account.emailChange[account.emailChange]}
          type="email"
          value={email}
          set={setEmail}
          readOnly={account.emailChange === 'by_operator'}
          error={error?.of('email')}
          autoComplete="email"
        />
        <SelectField label={words.shell.language} value={language} set={setLanguage} of={Object.entries(LANGUAGES)} />
      </Form>
    </section>
  )
}

/** Keeps an address in a right-to-left script from reordering the sentence around it. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

function Password({ account }: { account: Account }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useAction('changePassword', ['getAccount', 'whoami', 'listSessions'])
  const confirm = useAction('signInAgain', ['whoami'])
  const submit = () =>
    mutate(
      { body: { password } },
      {
        onSuccess: () => {
          setPassword('')
          // The first password also confirms the identity, so that no second question follows.
          if (!account.hasPassword && !account.hasTotp) confirm.mutate({ body: { password } })
        },
      },
    )
  return (
    <section class="card stack">
      <h2>{words.signIn.password}</h2>
      <p>{account.hasPassword ? words.account.passwordHint : words.account.noPassword}</p>
      <Form
        submitLabel={words.account.setPassword}
        submit={submit}
        mutation={{ isPending, error }}
        fields={['password']}
      >
        <NewPasswordField value={password} set={setPassword} error={error?.of('password')} />
      </Form>
    </section>
  )
}
