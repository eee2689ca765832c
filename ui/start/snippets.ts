// Example code, with the real address and the prefix of the real key.

export const LANGUAGES = ['curl', 'typescript', 'python'] as const
export type SnippetLanguage = (typeof LANGUAGES)[number]

interface Facts {
  /** The root URL of the v1 API. */
  root: string
  clientName: string
  keyPrefix: string
  to: string
  /** A text that the workspace accepts; undefined if there is none. */
  text: string | undefined
}

/** A link can put any text into the number, and readers paste the code into a shell: only digits are kept. */
export function exampleIn(language: SnippetLanguage, { to, clientName, ...facts }: Facts): string {
  const write = { curl, typescript, python }[language]
  // A name with a line break would end the comment.
  return write({ ...facts, clientName: clientName.replaceAll(/\s+/g, ' '), to: to.replaceAll(/[^\d+]/g, '') })
}

function curl({ root, clientName, keyPrefix, to, text }: Facts): string {
  const post = (path: string, body: object) =>
    [
      `curl -s ${root}${path} -H "x-api-key: $HULAKI_API_KEY" \\`,
      `  -H 'content-type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    ].join('\n')
  return [
    `# the key of ${clientName}; the full key was shown once, at creation`,
    `export HULAKI_API_KEY='${keyPrefix}…'`,
    ...(text === undefined ? [] : [post('/sms/send', { to, text })]),
    post('/sms/otp/send', { to }),
    post('/sms/otp/verify', { to, code: '123456' }),
  ].join('\n')
}

function typescript({ root, clientName, keyPrefix, to, text }: Facts): string {
  return `// the key of ${clientName}: ${keyPrefix}…
const key = process.env.HULAKI_API_KEY

const post = async (path: string, body: object) => {
  const response = await fetch(\`${root}\${path}\`, {
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
  return response.json()
}
${text === undefined ? '' : `\nconst { messageId } = await post('/sms/send', ${JSON.stringify({ to, text })})\n`}
await post('/sms/otp/send', { to: '${to}' })
// A wrong code is a 200 as well: read verified.
const { verified, reason } = await post('/sms/otp/verify', { to: '${to}', code: '123456' })`
}

function python({ root, clientName, keyPrefix, to, text }: Facts): string {
  return `# the key of ${clientName}: ${keyPrefix}…
import json, os, uuid
from urllib.request import Request, urlopen

KEY = os.environ["HULAKI_API_KEY"]

def post(path, body):
    headers = {"x-api-key": KEY, "content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
    request = Request("${root}" + path, json.dumps(body).encode(), headers)
    with urlopen(request) as response:
        return json.load(response)
${text === undefined ? '' : `\nsent = post("/sms/send", ${JSON.stringify({ to, text })})\n`}
post("/sms/otp/send", {"to": "${to}"})
# A wrong code is a 200 as well: read verified.
answer = post("/sms/otp/verify", {"to": "${to}", "code": "123456"})`
}
