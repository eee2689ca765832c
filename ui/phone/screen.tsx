// Test phone: all handsets of the simulator for operators, the handsets of its own messages for a workspace.
import { useAction, useCall } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { PhonePage } from './phone.tsx'

const TOPICS = ['messages', 'replies'] as const
/** Other programs may be connected to the simulator. */
const EVERY_MS = 30_000

export function Screen() {
  const handsets = useCall('listHandsetMessages', {}, { topics: TOPICS, everyMs: EVERY_MS })
  const reply = useAction('writeHandsetReply', ['listHandsetMessages'])
  return (
    <PhonePage
      handsets={handsets}
      actions={<ApiButton of="listHandsetMessages" input={{}} />}
      write={(body, onSuccess) => reply.mutate({ body }, { onSuccess })}
      reply={reply}
    />
  )
}

export function WorkspaceScreen() {
  const params = { id: useWorkspace().id }
  const handsets = useCall('listWorkspaceHandsetMessages', { params }, { topics: TOPICS, everyMs: EVERY_MS })
  const reply = useAction('writeWorkspaceHandsetReply', ['listWorkspaceHandsetMessages'])
  return (
    <PhonePage
      handsets={handsets}
      actions={<ApiButton of="listWorkspaceHandsetMessages" input={{ params }} />}
      write={(body, onSuccess) => reply.mutate({ params, body }, { onSuccess })}
      reply={reply}
    />
  )
}
