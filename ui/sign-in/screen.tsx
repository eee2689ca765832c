// The sign-in screen. It keeps the address, so that a person continues on the same screen.
import { useQueryClient } from '@tanstack/preact-query'
import { useSearchParams } from 'wouter-preact'
import { useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { words } from '../words/index.ts'
import { Recovery } from './recovery.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignInPage } from './sign-in-page.tsx'

export function Screen() {
  const client = useQueryClient()
  const [params] = useSearchParams()
  const { data: ways } = useCall('getWaysToSignIn', {})
  // No data of the person before is shown to the next one.
  const isIn = () => inBackground(client.resetQueries())
  const came = params.get('sign-in')
  return (
    <SignInPage title={words.signIn.title}>
      {came !== null && (
        <p role="alert">
          {words.signIn.providerErrors[came as keyof typeof words.signIn.providerErrors] ?? words.signIn.providerFailed}
        </p>
      )}
      <SignInForm done={isIn}>
        {(email) => (ways?.mail ? <Recovery email={email} /> : <p class="quiet">{words.signIn.forgotten}</p>)}
      </SignInForm>
    </SignInPage>
  )
}
