// Phone, for the people of a workspace: the handsets that their own messages reached.
import { useAct, useCall } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspace } from '../who.ts'
import { words } from '../words/index.ts'
import { Phones } from './phone.tsx'

const EVERY_MS = 2_000

export function Screen() {
  const { id } = useWorkspace()
  const params = { id }
  const [{ number }, setChosen] = useUrlState({ number: '' })
  const { data, error } = useCall('listWorkspaceHandsetMessages', { params }, { everyMs: EVERY_MS })
  const { data: endings } = useCall('listSimulatorEndings', {})
  const write = useAct('writeWorkspaceHandsetReply', ['listWorkspaceHandsetMessages'])
  return (
    <Page title={words.screens.phone} actions={<Curl of="listWorkspaceHandsetMessages" input={{ params }} />}>
      {error?.status === 404 ? (
        <p>{words.phone.noSimulator}</p>
      ) : (
        <>
          {error && <FaultNote fault={error} />}
          <Phones
            handsets={data}
            endings={endings?.items}
            number={number}
            choose={(it) => setChosen({ number: it })}
            write={(body, done) => write.mutate({ params, body }, { onSuccess: done })}
            isBusy={write.isPending}
            fault={write.error}
            isHeld={write.data?.taken === false}
          />
        </>
      )}
    </Page>
  )
}
