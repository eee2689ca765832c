// The start banner: URLs, keys and a first command to paste.
import { DEMO_TEST_OTP_CODE, type DemoKeys } from '../actions/workspaces/make-demo.ts'
import { LINK_HOURS } from '../domain/people/invitation.ts'
import { VERSION } from '../runtime/version.ts'
import type { OperatorToken } from './first-start.ts'

interface StartInfo {
  url: string
  roles: readonly string[]
  processes: number
  data: string
  /** The time of a manual clock; null with the system clock. */
  stoppedAt: Date | null
  operator: OperatorToken
  demo: DemoKeys | null
  /** Contains a sign-in secret after the # until the first operator has signed in. */
  console: string
  isFirst: boolean
  /** The file with the secrets; null: the banner shows them. */
  secretsFile: string | null
}

export function banner(info: StartInfo): string {
  const { url, roles, processes, data, stoppedAt, operator, demo, console, isFirst, secretsFile } = info
  const api = roles.includes('api')
  const suffix = api && processes > 1 ? `; ${processes} processes` : ''
  const lines = ['', `  Hulaki is running (${roles.join(', ')}${suffix}).`, '']
  if (api && isFirst) {
    lines.push(
      '  Open this link to get started. It signs you in as the operator,',
      `  works once and expires in ${hours(LINK_HOURS.operator)}:`,
      `    ${console}`,
      '',
    )
  }
  if (api && !isFirst) lines.push(`  Console     ${console}`)
  if (api) lines.push(`  URL         ${url}/api/sms/v1`, `  Docs        ${url}/docs`)
  else lines.push(`  Health      ${url}/readyz`)
  if (api && roles.includes('simulator')) lines.push(`  Test phone  ${url}/console/phone`)
  lines.push(`  Data        ${data}`, `  Version     ${VERSION}, on Node ${process.versions.node}`)
  if (secretsFile) lines.push(`  Secrets     ${secretsFile} (read it, then delete it)`)
  if (stoppedAt) lines.push(`  Clock       manual, stopped at ${stoppedAt.toISOString()}`)
  if (operator.isNew) {
    lines.push('', '  Operator token (shown once; stored in the data folder):', `    ${operator.token}`)
  } else if (operator.file) lines.push(`  Operator    token in ${operator.file}`)
  if (demo && api) lines.push('', ...demoLines(demo, url))
  return `${lines.join('\n')}\n\n`
}

function hours(count: number): string {
  return count === 1 ? '1 hour' : `${count} hours`
}

function demoLines({ liveApiKey, testApiKey }: DemoKeys, url: string): string[] {
  return [
    '  API keys of the Demo workspace (shown once):',
    `    live  ${liveApiKey}`,
    `    test  ${testApiKey}`,
    `          The test key sends nothing. Its OTP is always ${DEMO_TEST_OTP_CODE}.`,
    `          Testing guide: ${url}/docs/guides/testing`,
    '',
    '  Send your first message:',
    `    curl -s ${url}/api/sms/v1/sms/send \\`,
    `      -H 'x-api-key: ${liveApiKey}' \\`,
    "      -H 'content-type: application/json' \\",
    `      -d '{"to":"9800000001","text":"Namaste from Hulaki"}'`,
  ]
}
