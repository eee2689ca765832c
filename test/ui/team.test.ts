// The screens of team and account without a browser: the real bundle, against the real service.
import { test } from 'node:test'
import { makeWorkspace } from '../harness/client.ts'
import { makePerson } from '../harness/people.ts'
import { glance } from '../harness/readers.ts'
import { sharedService } from '../harness/service.ts'

const service = await sharedService()
const workspaceId = await makeWorkspace(service)

test('an owner sees the team, the audit log and the account', async () => {
  const { email } = await makePerson(service, { workspaceId, role: 'viewer' })
  const at = `/console/w/${workspaceId}`
  for (const [path, shown] of [
    ['/team', email],
    ['/team?tab=audit', 'Joined the workspace'],
    ['/team?tab=tokens', 'No tokens yet'],
    ['/account', 'Active sessions'],
  ] as const) {
    const page = await glance(service, `${at}${path}`, { workspaceId })
    await page.until(shown)
    await page.close()
  }
})

test('a viewer is not offered the team', async () => {
  const page = await glance(service, `/console/w/${workspaceId}/messages`, { workspaceId, role: 'viewer' })
  await page.until('Messages')
  if (page.text().includes('Team')) throw new Error('the team is offered to a viewer')
  await page.close()
})
