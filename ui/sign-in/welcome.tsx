// The page of a single-use link: an invitation, a password reset or a new address.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Link } from '../api/calls.ts'
import { queries } from '../api/queries.ts'
import { useAction } from '../api/use.ts'
import { NewPasswordField, PasswordField } from '../parts/credentials.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { NewAddress } from './new-address.tsx'
import { SignInPage } from './sign-in-page.tsx'

/** Reads the secret behind the # and removes it from the address. It is stored nowhere else. */
function takeSecret(): string {
  const secret = location.hash.slice(1)
  if (secret !== '') history.replaceState(null, '', location.pathname)
  return secret
}

export function Screen() {
  const [secret] = useState(takeSecret)
  const { mutate, data: link, error } = useAction('getLink')
  const look = () => mutate({ body: { secret } })
  useEffect(() => mutate({ body: { secret } }), [mutate, secret])
  if (secret === '') return <LinkInvalid />
  if (error?.status === 404) return <LinkInvalid />
  if (error) {
    return (
      <SignInPage title={words.signIn.welcome}>
        <ErrorNote error={error} again={look} />
      </SignInPage>
    )
  }
  if (!link) return <p class="hidden">{words.shell.loading}</p>
  if (link.kind === 'email') return <NewAddress link={link} secret={secret} reloadLink={look} />
  return <UseLink link={link} secret={secret} />
}

function LinkInvalid() {
  return (
    <SignInPage title={words.signIn.linkInvalid}>
      <p>{words.signIn.linkInvalidHint}</p>
      <p>
        <a href="/console">{words.signIn.title}</a>
      </p>
    </SignInPage>
  )
}

function UseLink({ link, secret }: { link: Link; secret: string }) {
  const [, go] = useLocation()
  const [fields, setFields] = useState({ email: '', name: '', password: '' })
  const { mutate, isPending, error } = useAction('useLink')
  const isOpen = link.email === null
  const use = () =>
    mutate(
      { body: { secret, ...withoutBlanks(fields) } },
      {
        onSuccess: () => {
          queries.clear()
          go('/')
        },
      },
    )
  const field: FieldOf = (name) => ({
    value: fields[name],
    set: (value) => setFields({ ...fields, [name]: value }),
    error: error?.of(name),
  })
  return (
    <SignInPage title={titleOf(link)}>
      {link.email !== null && (
        <p>
          {words.signIn.for} <strong class="foreign">{link.email}</strong>
        </p>
      )}
      {isOpen && <p>{words.signIn.firstLinkHint}</p>}
      <Form
        submitLabel={isOpen ? words.signIn.open : words.common.continue}
        submit={use}
        mutation={{ isPending, error }}
        fields={['email', 'name', 'password']}
      >
        {link.kind === 'member' && link.needs === 'password' && (
          <TextField label={words.signIn.name} autoComplete="name" {...field('name')} />
        )}
        {isOpen ? <FirstAccount field={field} /> : <LinkPassword link={link} {...field('password')} />}
      </Form>
    </SignInPage>
  )
}

interface FieldProps {
  value: string
  set: (value: string) => void
  error: string | null | undefined
}
type FieldOf = (name: 'email' | 'name' | 'password') => FieldProps

/** The first operator may choose an address and a password now, or later. */
function FirstAccount({ field }: { field: FieldOf }) {
  return (
    <details>
      <summary>{words.signIn.setPassword}</summary>
      <div class="stack">
        <TextField label={words.signIn.email} type="email" autoComplete="username" {...field('email')} />
        <TextField label={words.signIn.name} autoComplete="name" {...field('name')} />
        <NewPasswordField {...field('password')} />
      </div>
    </details>
  )
}

function LinkPassword({ link: { needs }, ...field }: FieldProps & { link: Link }) {
  if (needs === 'nothing') return null
  if (needs === 'new_password') return <NewPasswordField {...field} />
  return <PasswordField label={words.signIn.password} hint={words.signIn.existingHint} {...field} />
}

function titleOf({ kind, workspace, role }: Link): string {
  if (kind === 'recovery') return words.signIn.recovery
  if (kind === 'operator') return words.signIn.welcome
  return words.signIn.join(workspace ?? '', role ? words.roles[role] : '')
}

/** Leaves empty fields out. */
function withoutBlanks(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
