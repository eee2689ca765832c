// Reads the settings from the environment; the start fails on an invalid one.

/** Printed without a stack trace. */
export class WrongSetting extends Error {}

/** @param {Record<string, string | undefined>} env */
export function readSettings(env) {
  const apiKey = env.HULAKI_API_KEY ?? ''
  if (apiKey === '')
    throw new WrongSetting('HULAKI_API_KEY is not set: use a key that the first start of Hulaki printed')
  if (!/^[!-~]+$/.test(apiKey)) throw new WrongSetting('HULAKI_API_KEY contains an invalid character')
  const port = Number(env.PORT || 3000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new WrongSetting('PORT is not a port number')
  return {
    apiKey,
    hulakiUrl: addressIn('HULAKI_URL', env.HULAKI_URL) ?? 'http://127.0.0.1:8080',
    host: env.HOST || '127.0.0.1',
    port,
    publicUrl: addressIn('PUBLIC_URL', env.PUBLIC_URL),
    trustedProxies: (env.TRUSTED_PROXIES ?? '').split(',').filter((it) => it !== ''),
    webhookSecret: env.HULAKI_WEBHOOK_SECRET || null,
    logLevel: env.LOG_LEVEL || 'info',
  }
}

/**
 * @param {string} name
 * @param {string | undefined} given
 */
function addressIn(name, given) {
  if (!given) return null
  if (/^https?:/.test(given) && URL.canParse(given)) return given
  throw new WrongSetting(`${name} is not a URL such as https://shop.example.com`)
}
