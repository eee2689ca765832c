// What a start tells the person at the terminal: where, with which keys, and what to paste first.
import { DEMO_TEST_OTP_CODE, type DemoKeys } from '../actions/workspaces/make-demo.ts'
import { LINK_HOURS } from '../domain/people/invitation.ts'
import { VERSION } from '../runtime/version.ts'
import type { OperatorToken } from './first-start.ts'

interface StartNews {
  url: string
  roles: readonly string[]
  processes: number
  data: string
  /** Where time stands; null where it runs. */
  standsAt: Date | null
  operator: OperatorToken
  demo: DemoKeys | null
  /** With a secret behind the # while nobody is operator. */
  console: string
  isFirst: boolean
  /** Where the secrets were written instead; null: they are shown. */
  secretsFile: string | null
}

export function banner(news: StartNews): string {
  const { url, roles, processes, data, standsAt, operator, demo, console, isFirst, secretsFile } = news
  const api = roles.includes('api')
  const how = api && processes > 1 ? `${roles.join(', ')}; ${processes} processes serve the API` : roles.join(', ')
  const lines = ['', `  Hulaki runs (${how}).`, '']
  if (api && isFirst) {
    lines.push(
      `  Open this to begin: it signs you in as the operator, once, within ${LINK_HOURS.operator} h.`,
      `    ${console}`,
      '',
    )
  }
  if (api && !isFirst) lines.push(`  Console     ${console}`)
  if (api) lines.push(`  Address     ${url}/api/sms/v1`, `  Docs        ${url}/docs`)
  else lines.push(`  Health      ${url}/readyz`)
  if (api && roles.includes('simulator')) lines.push(`  Phone       ${url}/console/phone`)
  lines.push(`  Data        ${data}`, `  Version     ${VERSION}, on Node ${process.versions.node}`)
  if (secretsFile) lines.push(`  Secrets     ${secretsFile} (read it, then delete it)`)
  if (standsAt) lines.push(`  Clock       manual: it stands at ${standsAt.toISOString()} until it is advanced`)
  if (operator.made) {
    lines.push('', '  Operator token (shown once; it is kept in the data folder):', `    ${operator.token}`)
  } else if (operator.file) lines.push(`  Operator    token in ${operator.file}`)
  if (demo && api) lines.push('', ...demoLines(demo, url))
  return `${lines.join('\n')}\n\n`
}

function demoLines({ liveApiKey, testApiKey }: DemoKeys, url: string): string[] {
  return [
    '  Keys of the workspace Demo (shown once):',
    `    live  ${liveApiKey}`,
    `    test  ${testApiKey}`,
    `          With the test key nothing is sent, and every code is ${DEMO_TEST_OTP_CODE}.`,
    `          More on testing: ${url}/docs/guides/testing`,
    '',
    '  Send the first message:',
    `    curl -s ${url}/api/sms/v1/sms/send -H 'x-api-key: ${liveApiKey}' \\`,
    `      -H 'content-type: application/json' -d '{"to":"9800000001","text":"Namaste from Hulaki"}'`,
  ]
}
