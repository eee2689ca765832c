// Reminds a person who signed in by a link of a password, until there is another sign-in method.
import { Link } from 'wouter-preact'
import { useCall } from '../api/use.ts'
import { useCaller } from '../caller.ts'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words/index.ts'
import css from './password-reminder.module.css'

export function PasswordReminder() {
  const { person } = useCaller()
  const isWithout = person !== null && !person.hasPassword
  const { data: passkeys } = useCall('listPasskeys', {}, { when: isWithout })
  const { data: ways } = useCall('getWaysToSignIn', {}, { when: isWithout })
  if (!isWithout || passkeys?.items.length !== 0 || !ways || ways.provider) return null
  return (
    <Link href="/account" class={css.reminder}>
      <Icon name="alert" />
      <span>
        <strong>{words.signIn.setOne}</strong> {words.signIn.linkUsed}
      </span>
    </Link>
  )
}
