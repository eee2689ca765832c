// Assigns a reply to a client: first its workspace, then the client.
import { useState } from 'preact/hooks'
import type { Reply } from '../api/calls.ts'
import { useAction, useCall, useList } from '../api/use.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'

const MAX_WORKSPACES = 20
const MAX_CLIENTS = 200

interface Props {
  reply: Reply
  close: () => void
  /** Called with the name of the client. */
  assigned: (client: string) => void
}

export function AssignDialog({ reply: { id, from, to, text }, close, assigned }: Props) {
  const [typed, setTyped] = useState('')
  const [workspaceId, setWorkspace] = useState('')
  const [clientId, setClient] = useState('')
  const [error, setError] = useState<string | null>(null)
  const act = useAction('attributeReply', ['listReplies'])
  const named = { limit: MAX_WORKSPACES, ...(typed.trim() && { name: typed.trim() }) }
  const workspaces = useCall('listWorkspaces', { query: named }).data?.items ?? []
  const ofWorkspace = { params: { id: workspaceId }, query: { limit: MAX_CLIENTS } }
  const clients = useList('listClients', ofWorkspace, { when: workspaceId !== '' }).items ?? []
  const choices = (first: string, items: readonly { id: string; name: string }[]) =>
    [['', first] as const, ...items.map((it) => [it.id, it.name] as const)] as const
  const choose = (workspace: string) => {
    setWorkspace(workspace)
    setClient('')
  }
  const submit = () => {
    const client = clients.find((it) => it.id === clientId)
    if (!client) return setError(workspaceId === '' ? words.replies.chooseWorkspace : words.replies.chooseClient)
    setError(null)
    act.mutate({ params: { id }, body: { clientId } }, { onSuccess: () => assigned(client.name) })
  }
  return (
    <Dialog title={words.replies.assignTitle} close={close}>
      <Form submitLabel={words.replies.assign} submit={submit} mutation={act} cancel={close}>
        <Facts
          of={[
            [words.replies.from, <span key="from" class="mono">{`${from} → ${to}`}</span>],
            [words.replies.text, foreign(text)],
          ]}
        />
        <TextField
          label={words.shell.findWorkspace}
          type="search"
          value={typed}
          set={(it) => {
            setTyped(it)
            choose('')
          }}
          autoComplete="off"
        />
        <SelectField
          label={words.shell.workspace}
          value={workspaceId}
          of={choices(words.replies.chooseWorkspace, workspaces)}
          set={choose}
          error={workspaceId === '' ? error : null}
        />
        <SelectField
          label={words.common.client}
          value={clientId}
          of={choices(words.replies.chooseClient, workspaceId === '' ? [] : clients)}
          set={setClient}
          error={workspaceId === '' ? null : error}
        />
        <p class="quiet">{words.replies.assignEffect}</p>
      </Form>
    </Dialog>
  )
}
