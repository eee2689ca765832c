// Example code, with the real address and the prefix of the real key.

export const LANGUAGES = ['curl', 'typescript', 'python'] as const
export type SnippetLanguage = (typeof LANGUAGES)[number]

interface Facts {
  /** The root URL of the v1 API. */
  root: string
  keyPrefix: string
  to: string
}

interface Snippets {
  key: string
  message: string
  code: string
}

/** A link can put any text into the number, and readers paste the code into a shell: only digits are kept. */
export function snippetsIn(language: SnippetLanguage, { to, ...facts }: Facts): Snippets {
  return { curl, typescript, python }[language]({ ...facts, to: to.replaceAll(/[^\d+]/g, '') })
}

function curl({ root, keyPrefix, to }: Facts): Snippets {
  const post = (path: string, body: object) =>
    `curl -s ${root}${path} -H "x-api-key: $HULAKI_API_KEY" \\\n  -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
  return {
    key: `export HULAKI_API_KEY='${keyPrefix}…'\ncurl -s ${root}/sms/balance -H "x-api-key: $HULAKI_API_KEY"`,
    message: post('/sms/send', { to, text: 'Namaste from Hulaki' }),
    code: `${post('/sms/otp/send', { to })}\n\n${post('/sms/otp/verify', { to, code: '123456' })}`,
  }
}

function typescript({ root, keyPrefix, to }: Facts): Snippets {
  const key = `const key = process.env.HULAKI_API_KEY // ${keyPrefix}…

const post = async (path: string, body: object) => {
  const response = await fetch(\`${root}\${path}\`, {
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
  return response.json()
}`
  return {
    key,
    message: `const { messageId } = await post('/sms/send', { to: '${to}', text: 'Namaste from Hulaki' })`,
    code: `await post('/sms/otp/send', { to: '${to}' })

// A wrong code is a 200 as well: read verified.
const { verified, reason } = await post('/sms/otp/verify', { to: '${to}', code: '123456' })`,
  }
}

function python({ root, keyPrefix, to }: Facts): Snippets {
  const key = `import json, os, uuid
from urllib.request import Request, urlopen

KEY = os.environ["HULAKI_API_KEY"]  # ${keyPrefix}…

def post(path, body):
    headers = {"x-api-key": KEY, "content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
    request = Request("${root}" + path, json.dumps(body).encode(), headers)
    with urlopen(request) as response:
        return json.load(response)`
  return {
    key,
    message: `sent = post("/sms/send", {"to": "${to}", "text": "Namaste from Hulaki"})`,
    code: `post("/sms/otp/send", {"to": "${to}"})

# A wrong code is a 200 as well: read verified.
answer = post("/sms/otp/verify", {"to": "${to}", "code": "123456"})`,
  }
}
