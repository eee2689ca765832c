// Mails a password-reset link; the response does not reveal whether the account exists.
import { useState } from 'preact/hooks'
import { useAction } from '../api/use.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { words } from '../words/index.ts'

export function Recovery({ email }: { email: string }) {
  const { mutate, isSuccess, error } = useAction('recoverByMail')
  const [isMissing, setMissing] = useState(false)
  const ask = () => {
    setMissing(email === '')
    if (email !== '') mutate({ body: { email } })
  }
  return (
    <div class="stack">
      <p class="quiet">
        {words.signIn.forgotPassword}{' '}
        <button type="button" class="link" onClick={ask}>
          {words.signIn.sendResetLink}
        </button>
      </p>
      <p role="status">{isSuccess ? words.signIn.mailed : isMissing ? words.signIn.emailFirst : ''}</p>
      {error && <ErrorNote error={error} />}
    </div>
  )
}
