// Previews a text message of a client without sending it: nothing is locked, counted or stored.
import { withoutOtp } from '../../domain/message-type.ts'
import { type MessagePreview, previewMessage as previewOf } from '../../domain/messages/preview.ts'
import type { TextRequest } from '../../domain/messages/send-request.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { readSwitches } from '../../store/service/service.ts'
import { loadClients } from '../../store/workspaces/admission.ts'
import { findWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Caller, Ports } from '../ports.ts'
import type { TemplateCache } from '../templates/template-cache.ts'
import { workspaceFacts } from './accept-batch.ts'

/** Empty parts are not entered yet. */
interface UnfinishedRequest extends Pick<TextRequest, 'type' | 'senderId'> {
  clientId: string
  to: string
  content: TextRequest['content'] | null
}

export function previewMessage(
  ports: Ports,
  { actor }: Caller,
  { clientId, to, templates, ...message }: UnfinishedRequest & { templates: TemplateCache },
): Promise<MessagePreview | Refusal> {
  return ports.managementDb(actor).transaction(async (tx) => {
    const within = onlyWorkspace(actor)
    const [client] = await loadClients(tx, [clientId])
    const workspace = client && (await findWorkspace(tx, { id: client.workspaceId, within }))
    if (!client || !workspace) return refuse('not_found')
    const { id: workspaceId, templatesRevision } = workspace
    const { smsEnabled, liveCountries } = await readSwitches(tx)
    const set = (await templates.getTemplates(tx, [{ workspaceId, templatesRevision }])).get(workspaceId)
    if (!set) throw new Error('templates of a workspace not loaded')
    const number = to === '' ? null : readPhoneNumber(to, client.country)
    const facts = workspaceFacts({ ...workspace, workspaceId }, { liveCountries, ...set })
    const onlyTypes = withoutOtp(client.onlyTypes)
    const now = ports.clock.now()
    return previewOf({ client: { ...client, onlyTypes }, number, ...message }, { workspace: facts, smsEnabled, now })
  })
}
