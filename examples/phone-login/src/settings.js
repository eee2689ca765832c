// What the environment says; a start with a wrong setting ends with a sentence instead of a surprise later.

/** Told as it is: what was set wrong needs no stack. */
export class WrongSetting extends Error {}

/** @param {Record<string, string | undefined>} env */
export function readSettings(env) {
  const apiKey = env.HULAKI_API_KEY ?? ''
  if (apiKey === '')
    throw new WrongSetting('HULAKI_API_KEY is not set: the first start of Hulaki printed two keys, take either')
  if (!/^[!-~]+$/.test(apiKey)) throw new WrongSetting('HULAKI_API_KEY has a character that no key has')
  const port = Number(env.PORT || 3000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new WrongSetting('PORT is no number of a port')
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
  throw new WrongSetting(`${name} is no address, such as https://shop.example.com`)
}
