// Phone, for the operator: every handset of the simulator.
import { useAct, useCall } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { FaultNote } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Phones } from './phone.tsx'

const EVERY_MS = 2_000

export function Screen() {
  const [{ number }, setChosen] = useUrlState({ number: '' })
  const { data, error } = useCall('listHandsetMessages', {}, { everyMs: EVERY_MS })
  const { data: endings } = useCall('listSimulatorEndings', {})
  const write = useAct('writeHandsetReply', ['listHandsetMessages'])
  return (
    <Page title={words.screens.phone} actions={<Curl of="listHandsetMessages" input={{}} />}>
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
            write={(body, done) => write.mutate({ body }, { onSuccess: done })}
            isBusy={write.isPending}
            fault={write.error}
            isHeld={write.data?.taken === false}
          />
        </>
      )}
    </Page>
  )
}
