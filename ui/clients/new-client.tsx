// The form for a new client. Its two secrets are shown once, then its page opens.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ClientWithSecrets } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { Secrets } from '../parts/secret.tsx'
import { words } from '../words/index.ts'
import { BrandField } from './brand.tsx'

const FIELDS = ['name', 'brandName', 'defaultSender', 'webhookUrl', 'testOtpCode', 'mode']

const modes = () =>
  [
    ['live', words.clients.live],
    ['test', words.clients.testMode],
  ] as const

export function NewClient({ close }: { close: () => void }) {
  const { id } = useWorkspace()
  const [, go] = useLocation()
  const [fields, setFields] = useState({ name: '', brandName: '', defaultSender: '', webhookUrl: '', testOtpCode: '' })
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const act = useAction('createClient', ['listClients'])
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    set: (value: string) => setFields({ ...fields, [name]: value }),
    error: act.error?.of(name),
  })
  const input = {
    params: { id },
    body: {
      name: fields.name,
      brandName: fields.brandName,
      mode,
      ...(fields.defaultSender && { defaultSender: fields.defaultSender }),
      ...(fields.webhookUrl && { webhookUrl: fields.webhookUrl }),
      ...(mode === 'test' && fields.testOtpCode && { testOtpCode: fields.testOtpCode }),
    },
  }
  if (act.data) return <CreatedSecrets client={act.data} close={() => go(`/clients/${act.data?.id}`)} />
  return (
    <Dialog title={words.clients.create} close={close}>
      <Form
        submitLabel={words.clients.create}
        submit={() => act.mutate(input)}
        mutation={act}
        fields={FIELDS}
        cancel={close}
        beside={<ApiButton of="createClient" input={input} />}
      >
        <TextField label={words.common.name} hint={words.clients.nameHint} {...field('name')} />
        <BrandField sender={fields.defaultSender || fields.brandName} {...field('brandName')} />
        <SelectField label={words.clients.mode} hint={words.clients.modeHint} value={mode} set={setMode} of={modes()} />
        {mode === 'test' && (
          <TextField
            label={words.clients.testCode}
            hint={words.clients.testCodeHint}
            {...field('testOtpCode')}
            inputMode="numeric"
            autoComplete="off"
          />
        )}
        <TextField label={words.clients.sender} hint={words.clients.senderHint} {...field('defaultSender')} />
        <TextField label={words.webhooks.url} hint={words.clients.urlHint} {...field('webhookUrl')} type="url" />
      </Form>
    </Dialog>
  )
}

function CreatedSecrets({ client, close }: { client: ClientWithSecrets; close: () => void }) {
  return (
    <Secrets
      title={words.clients.saveKey}
      about={words.clients.isReady(client.name)}
      of={[
        {
          label: words.clients.apiKey,
          value: client.apiKey,
          hint: words.clients.keyHint,
          variable: 'HULAKI_API_KEY',
        },
        {
          label: words.clients.webhookSecret,
          value: client.webhookSecret,
          hint: words.clients.secretHint,
          variable: 'HULAKI_WEBHOOK_SECRET',
        },
      ]}
      close={close}
    />
  )
}
