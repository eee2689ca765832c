// A link that proves a new e-mail address (D70): it works only for the person of the account, who signs in first where needed.
import type { Link } from '../api/calls.ts'
import { queries, useAct, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { Form } from '../parts/field.tsx'
import { WhoContext } from '../who.ts'
import { words } from '../words/index.ts'
import { SignInAgain } from './again.tsx'
import { Door } from './door.tsx'
import { SignInForm } from './sign-in-form.tsx'

interface Props {
  link: Link
  secret: string
  /** Looks at the link again, as the person who has signed in. */
  lookAgain: () => void
}

export function NewAddress({ link, secret, lookAgain }: Props) {
  const use = useAct('useLink')
  const signedIn = () => {
    // Nothing of a person who was here before is shown to the person who signed in.
    inBackground(queries.resetQueries())
    use.reset()
    lookAgain()
  }
  const address = <strong class="foreign">{link.email}</strong>
  if (use.isSuccess) {
    return (
      <Door title={words.signIn.addressChanged}>
        <p>
          {words.signIn.addressNow} {address}
        </p>
        <p>
          <a href="/console">{words.signIn.open}</a>
        </p>
      </Door>
    )
  }
  // The session may have ended since the link was looked at.
  if (link.needs === 'sign_in' || use.error?.status === 401) {
    return (
      <Door title={words.signIn.newAddress}>
        <p>
          {words.signIn.for} {address}
        </p>
        <SignInFirst done={signedIn} />
      </Door>
    )
  }
  return (
    <Door title={words.signIn.newAddress}>
      <p>
        {words.signIn.for} {address}
      </p>
      <p>{words.signIn.newAddressHint}</p>
      <Form
        act={words.signIn.useAddress}
        submit={() => use.mutate({ body: { secret } })}
        isBusy={use.isPending}
        fault={use.error}
      >
        {null}
      </Form>
      <Again />
    </Door>
  )
}

function SignInFirst({ done }: { done: () => void }) {
  const { data: who, isPending } = useCall('whoami', {})
  // All at once: what comes later would move what is there.
  if (isPending) return <p class="hidden">{words.shell.loading}</p>
  return (
    <>
      {who?.person && (
        <p>
          {words.signIn.otherAccount} <strong class="foreign">{who.person.email}</strong>
        </p>
      )}
      <p>{words.signIn.newAddressSignIn}</p>
      <SignInForm done={done} />
    </>
  )
}

/** Asks for the password where the sign-in is not recent. */
function Again() {
  const { data: who } = useCall('whoami', {})
  if (!who) return null
  return (
    <WhoContext.Provider value={who}>
      <SignInAgain />
    </WhoContext.Provider>
  )
}
