// A link that proves a new e-mail address (D70): it works only for the person of the account, who signs in first where needed.
import type { Link } from '../api/calls.ts'
import { queries } from '../api/queries.ts'
import { useAction, useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { CallerContext } from '../caller.ts'
import { Form } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { Screen as ConfirmIdentity } from './confirm-identity.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignInPage } from './sign-in-page.tsx'

interface Props {
  link: Link
  secret: string
  /** Reloads the link as the person who has signed in. */
  reloadLink: () => void
}

export function NewAddress({ link, secret, reloadLink }: Props) {
  const use = useAction('useLink')
  const signedIn = () => {
    // Nothing of a person who was here before is shown to the person who signed in.
    inBackground(queries.resetQueries())
    use.reset()
    reloadLink()
  }
  const address = <strong class="foreign">{link.email}</strong>
  if (use.isSuccess) {
    return (
      <SignInPage title={words.signIn.addressChanged}>
        <p>
          {words.signIn.addressNow} {address}
        </p>
        <p>
          <a href="/console">{words.signIn.open}</a>
        </p>
      </SignInPage>
    )
  }
  // The session may have ended since the link was loaded.
  if (link.needs === 'sign_in' || use.error?.status === 401) {
    return (
      <SignInPage title={words.signIn.newAddress}>
        <p>
          {words.signIn.for} {address}
        </p>
        <SignInFirst done={signedIn} />
      </SignInPage>
    )
  }
  return (
    <SignInPage title={words.signIn.newAddress}>
      <p>
        {words.signIn.for} {address}
      </p>
      <p>{words.signIn.newAddressHint}</p>
      <Form submitLabel={words.signIn.useAddress} submit={() => use.mutate({ body: { secret } })} mutation={use}>
        {null}
      </Form>
      <ConfirmIdentityHere />
    </SignInPage>
  )
}

function SignInFirst({ done }: { done: () => void }) {
  const { data: who, isPending } = useCall('whoami', {})
  // The parts appear together, so that nothing moves.
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
function ConfirmIdentityHere() {
  const { data: who } = useCall('whoami', {})
  if (!who) return null
  return (
    <CallerContext.Provider value={who}>
      <ConfirmIdentity />
    </CallerContext.Provider>
  )
}
