// What the environment says; a start with a wrong setting ends with a sentence instead of a surprise later.

/** @param {Record<string, string | undefined>} env */
export function readSettings(env) {
  const apiKey = env.HULAKI_API_KEY ?? ''
  if (apiKey === '')
    throw new Error('HULAKI_API_KEY is not set: the first start of Hulaki printed two keys, take either')
  const publicUrl = env.PUBLIC_URL || null
  if (publicUrl !== null && !URL.canParse(publicUrl))
    throw new Error('PUBLIC_URL is no address, such as https://shop.example.com')
  return {
    apiKey,
    hulakiUrl: env.HULAKI_URL || 'http://127.0.0.1:8080',
    host: env.HOST || '127.0.0.1',
    port: Number(env.PORT || 3000),
    publicUrl,
    trustedProxies: (env.TRUSTED_PROXIES ?? '').split(',').filter((it) => it !== ''),
    webhookSecret: env.HULAKI_WEBHOOK_SECRET || null,
    logLevel: env.LOG_LEVEL || 'info',
  }
}
