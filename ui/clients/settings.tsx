// The settings of a client: name, brand, sender and test OTP code.
import { useState } from 'preact/hooks'
import type { Client, ClientChange } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useCaller } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'
import { BrandField, CodePreview } from './brand.tsx'

const FIELDS = ['name', 'brandName', 'defaultSender', 'requestsPerSecond', 'testOtpCode']

interface Edited {
  name?: string
  brandName?: string
  defaultSender?: string
  requestsPerSecond?: string
  testOtpCode?: string
}

export function Settings({ client }: { client: Client }) {
  const { kind } = useCaller()
  // Only edited fields are kept here, so that changes of other people show up in the rest.
  const [edited, setEdited] = useState<Edited>({})
  const act = useAction('changeClient', ['getClient', 'listClients'])
  const field = (name: keyof Edited, saved: string) => ({
    value: edited[name] ?? saved,
    set: (value: string) => setEdited({ ...edited, [name]: value }),
    error: act.error?.of(name),
  })
  const { id } = client
  const input = { params: { id }, body: changeOf(edited) }
  const save = (body: ClientChange) => act.mutate({ params: { id }, body }, { onSuccess: () => setEdited({}) })
  return (
    <Form
      submitLabel={words.common.save}
      submit={() => save(input.body)}
      mutation={act}
      fields={FIELDS}
      beside={<ApiButton of="changeClient" input={input} />}
    >
      <TextField label={words.common.name} {...field('name', client.name)} />
      <BrandField {...field('brandName', client.brandName)} sender={edited.defaultSender ?? client.defaultSender} />
      <TextField label={words.clients.sender} {...field('defaultSender', client.defaultSender)} />
      {client.mode === 'test' && (
        <>
          <TextField
            label={words.clients.testCode}
            hint={client.hasTestOtpCode ? words.clients.testCodeSet : words.clients.testCodeHint}
            {...field('testOtpCode', '')}
            inputMode="numeric"
            autoComplete="off"
          />
          {client.hasTestOtpCode && (
            <div>
              <button type="button" class="link" onClick={() => save({ testOtpCode: null })}>
                {words.clients.removeTestCode}
              </button>
            </div>
          )}
        </>
      )}
      {kind === 'operator' && (
        <TextField
          label={words.clients.rate}
          {...field('requestsPerSecond', String(client.requestsPerSecond))}
          type="number"
          min={1}
        />
      )}
    </Form>
  )
}

/** Only the edited fields; an empty test code means no change. */
function changeOf({ requestsPerSecond, testOtpCode, ...rest }: Edited): ClientChange {
  return {
    ...rest,
    ...(requestsPerSecond !== undefined && { requestsPerSecond: Number(requestsPerSecond) }),
    ...(testOtpCode && { testOtpCode }),
  }
}

/** For roles that may only read. */
export function SettingFacts({ client: { brandName, defaultSender, requestsPerSecond } }: { client: Client }) {
  return (
    <>
      <Facts
        of={[
          [words.clients.brand, foreign(brandName)],
          [words.clients.sender, foreign(defaultSender)],
          [words.clients.rate, count(requestsPerSecond)],
        ]}
      />
      <CodePreview brandName={brandName} sender={defaultSender} />
    </>
  )
}
