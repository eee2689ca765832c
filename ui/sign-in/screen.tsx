// The way in. Who was signed out meanwhile is afterwards where they were.
import { useQueryClient } from '@tanstack/preact-query'
import { useSearchParams } from 'wouter-preact'
import { useCall } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { words } from '../words/index.ts'
import { Door } from './door.tsx'
import { Recovery } from './recovery.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function Screen() {
  const client = useQueryClient()
  const [params] = useSearchParams()
  const { data: ways } = useCall('getWaysToSignIn', {})
  // Nothing of who was here before is shown to who comes now.
  const isIn = () => inBackground(client.resetQueries())
  const came = params.get('sign-in')
  return (
    <Door title={words.signIn.title}>
      {came !== null && (
        <p role="alert">
          {words.signIn.providerErrors[came as keyof typeof words.signIn.providerErrors] ?? words.signIn.providerFailed}
        </p>
      )}
      <SignInForm done={isIn}>
        {(email) => (ways?.mail ? <Recovery email={email} /> : <p class="quiet">{words.signIn.forgotten}</p>)}
      </SignInForm>
    </Door>
  )
}
