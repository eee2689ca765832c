// Creates, changes and disables API clients, and rotates their webhook secrets (§5.1, §6.3).
import { HOUR_MS } from '../../domain/durations.ts'
import { capSince } from '../../domain/messages/limits.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { Refusal, refuse } from '../../domain/refusals.ts'
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from '../../domain/workspaces/api-key.ts'
import type { Tx } from '../../store/database/db.ts'
import {
  type Client,
  type ClientSettings,
  countClients,
  findClient,
  insertClient,
  markClientDisabled,
  markClientEnabled,
  replaceWebhookSecret,
  updateClient,
} from '../../store/workspaces/clients.ts'
import { lockWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'
import { storeNewKey, withLockedClient } from './manage-client-keys.ts'

interface NewClientRequest {
  workspaceId: string
  mode: 'live' | 'test'
  settings: Omit<ClientSettings, 'testOtpCodeSealed'>
  testOtpCode: string | null
}

/** Both secrets are shown once and cannot be read again. */
interface CreatedClient {
  client: Client
  apiKey: string
  webhookSecret: string
}

export function createClient(
  ports: Ports,
  caller: Caller,
  request: NewClientRequest,
): Promise<CreatedClient | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id: request.workspaceId, within: onlyWorkspace(caller.actor) })
    if (!workspace) return refuse('not_found')
    const { id, maxClients } = workspace
    if ((await countClients(tx, id)) >= maxClients) {
      const error = `The workspace may have ${maxClients} clients, disabled ones included; the operator can allow more`
      return refuse('conflict', { error })
    }
    return addClient(tx, { ports, caller, request })
  })
}

export async function addClient(
  tx: Tx,
  { ports, caller, request }: { ports: Ports; caller: Caller; request: NewClientRequest },
): Promise<CreatedClient> {
  const { workspaceId, mode, testOtpCode } = request
  const id = ports.ids.next()
  const webhookSecret = formatWebhookSecret(ports.random.bytes(WEBHOOK_SECRET_BYTES))
  const webhookSecretSealed = ports.keyring.seal('secrets', webhookSecretContext(id), webhookSecret)
  const settings = { ...request.settings, testOtpCodeSealed: sealTestCode(ports, id, testOtpCode) }
  const now = ports.clock.now()
  await insertClient(tx, { id, workspaceId, mode, settings, webhookSecretSealed, now })
  const key = await storeNewKey(tx, ports, { clientId: id, slot: 1 })
  const details = { name: settings.name, mode, keyPrefix: key.prefix }
  await recordChange(tx, { ports, caller, workspaceId, action: 'client.created', subject: id, details })
  const client = await findClient(tx, { id, within: null })
  if (!client) throw new Error('stored client not found')
  return { client, apiKey: key.apiKey, webhookSecret }
}

/** `change` returns the new settings. Without `testOtpCode` the test OTP stays unchanged. */
export function changeClient(
  ports: Ports,
  caller: Caller,
  {
    id,
    change,
  }: { id: string; change: (client: Client) => (ClientSettings & { testOtpCode?: string | null }) | Refusal },
): Promise<Client | Refusal> {
  return withClient(ports, caller, id, async (tx, before) => {
    const changed = change(before)
    if (changed instanceof Refusal) return changed
    const { testOtpCode, ...settings } = changed
    if (testOtpCode !== undefined) settings.testOtpCodeSealed = sealTestCode(ports, id, testOtpCode)
    const details = differences(before, settings)
    if (Object.keys(details).length === 0) return null
    const now = ports.clock.now()
    await updateClient(tx, { id, settings, hourlyCapSince: capSince(before, now), now })
    await recordChange(tx, {
      ports,
      caller,
      workspaceId: before.workspaceId,
      action: 'client.changed',
      subject: id,
      details,
    })
    return null
  })
}

export async function rotateWebhookSecret(
  ports: Ports,
  caller: Caller,
  { id, graceHours }: { id: string; graceHours: number },
): Promise<{ client: Client; webhookSecret: string } | Refusal> {
  const webhookSecret = formatWebhookSecret(ports.random.bytes(WEBHOOK_SECRET_BYTES))
  const sealed = ports.keyring.seal('secrets', webhookSecretContext(id), webhookSecret)
  const client = await withClient(ports, caller, id, async (tx, { workspaceId }) => {
    const now = ports.clock.now()
    const previousEndsAt = graceHours === 0 ? null : new Date(now.getTime() + graceHours * HOUR_MS)
    await replaceWebhookSecret(tx, { id, sealed, previousEndsAt, now })
    const details = { graceHours }
    await recordChange(tx, {
      ports,
      caller,
      workspaceId,
      action: 'client.webhook_secret_rotated',
      subject: id,
      details,
    })
    return null
  })
  return client instanceof Refusal ? client : { client, webhookSecret }
}

export function disableClient(ports: Ports, caller: Caller, id: string): Promise<Client | Refusal> {
  const by = onlyWorkspace(caller.actor) === null ? 'operator' : 'owner'
  return withClient(ports, caller, id, async (tx, { workspaceId, disabledBy }) => {
    // D43: the operator may take over a disable by an owner, but not the other way round.
    if (disabledBy === 'operator' || disabledBy === by) return null
    await markClientDisabled(tx, { id, by, now: ports.clock.now() })
    await recordChange(tx, { ports, caller, workspaceId, action: 'client.disabled', subject: id })
    return null
  })
}

export function enableClient(ports: Ports, caller: Caller, id: string): Promise<Client | Refusal> {
  return withClient(ports, caller, id, async (tx, { workspaceId, disabledBy }) => {
    if (disabledBy === null) return null
    if (disabledBy === 'operator' && onlyWorkspace(caller.actor) !== null)
      return refuse('conflict', { error: 'The operator disabled this client; only the operator can enable it' })
    await markClientEnabled(tx, { id, now: ports.clock.now() })
    await recordChange(tx, { ports, caller, workspaceId, action: 'client.enabled', subject: id })
    return null
  })
}

/** Binds the sealed secret to the client. */
export function webhookSecretContext(clientId: string): string {
  return `webhook-secret:${clientId}`
}

export function testCodeContext(clientId: string): string {
  return `test-code:${clientId}`
}

/** Returns the client as `work` leaves it. */
function withClient(
  ports: Ports,
  caller: Caller,
  id: string,
  work: (tx: Tx, client: Client) => Promise<Refusal | null>,
): Promise<Client | Refusal> {
  return withLockedClient(ports, caller, id, async (tx, before) => {
    const refusal = await work(tx, before)
    return refusal ?? (await findClient(tx, { id, within: null })) ?? refuse('not_found')
  })
}

function sealTestCode({ keyring }: Ports, clientId: string, code: string | null): Buffer | null {
  return code === null ? null : keyring.seal('secrets', testCodeContext(clientId), code)
}
