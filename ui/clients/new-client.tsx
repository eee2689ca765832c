// A new client. Its two secrets are shown once, and the page of the client follows.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ClientWithSecrets } from '../api/calls.ts'
import { useAct } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../parts/field.tsx'
import { Secrets } from '../parts/secret.tsx'
import { useWorkspace } from '../who.ts'
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
  const [asked, setAsked] = useState({ name: '', brandName: '', defaultSender: '', webhookUrl: '', testOtpCode: '' })
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const act = useAct('createClient', ['listClients'])
  const field = (name: keyof typeof asked) => ({
    value: asked[name],
    set: (value: string) => setAsked({ ...asked, [name]: value }),
    wrong: act.error?.of(name),
  })
  const input = {
    params: { id },
    body: {
      name: asked.name,
      brandName: asked.brandName,
      mode,
      ...(asked.defaultSender && { defaultSender: asked.defaultSender }),
      ...(asked.webhookUrl && { webhookUrl: asked.webhookUrl }),
      ...(mode === 'test' && asked.testOtpCode && { testOtpCode: asked.testOtpCode }),
    },
  }
  if (act.data) return <Made client={act.data} close={() => go(`/clients/${act.data?.id}`)} />
  return (
    <Dialog title={words.clients.create} close={close}>
      <Form
        act={words.clients.create}
        submit={() => act.mutate(input)}
        isBusy={act.isPending}
        fault={act.error}
        fields={FIELDS}
        cancel={close}
      >
        <TextField label={words.clients.name} hint={words.clients.nameHint} {...field('name')} />
        <BrandField sender={asked.defaultSender || asked.brandName} {...field('brandName')} />
        <ChoiceField label={words.clients.mode} hint={words.clients.modeHint} value={mode} set={setMode} of={modes()} />
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
        <TextField label={words.clients.receiver} hint={words.clients.urlHint} {...field('webhookUrl')} type="url" />
        <Curl of="createClient" input={input} />
      </Form>
    </Dialog>
  )
}

function Made({ client, close }: { client: ClientWithSecrets; close: () => void }) {
  return (
    <Secrets
      title={words.clients.saveKey(client.name)}
      of={[
        [words.clients.apiKey, client.apiKey],
        [words.clients.webhookSecret, client.webhookSecret],
      ]}
      close={close}
    />
  )
}
