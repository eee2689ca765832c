// The fields of a sign-in that several screens have: a password and a code of the authenticator app.
import { words } from '../words/index.ts'
import { TextField, type TextProps } from './field.tsx'

type Props = Omit<TextProps, 'label'> & { label?: string }

export function PasswordField({ label = words.signIn.password, ...rest }: Props) {
  return <TextField label={label} type="password" autoComplete="current-password" {...rest} />
}

export function NewPasswordField(props: Props) {
  return (
    <PasswordField
      label={words.signIn.newPassword}
      hint={words.signIn.passwordHint}
      autoComplete="new-password"
      {...props}
    />
  )
}

export function CodeField({ label = words.signIn.code, ...rest }: Props) {
  return <TextField label={label} autoComplete="one-time-code" {...rest} />
}
