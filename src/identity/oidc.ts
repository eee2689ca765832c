// Sign-in with an OpenID Connect provider: code flow with PKCE, state and nonce. The library is loaded at the first sign-in.
import type { Configuration } from 'openid-client'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | null
  /** The label of the button. */
  name: string
}

/** Stored until the provider redirects the browser back. */
export interface OidcChallenge {
  verifier: string
  state: string
  nonce: string
}

interface OidcPerson {
  email: string
  name: string
}

const load = () => import('openid-client')

export class Oidc {
  readonly settings: OidcSettings
  #configuration: Promise<Configuration> | null = null

  constructor(settings: OidcSettings) {
    this.settings = settings
  }

  async addressFor({ verifier, state, nonce }: OidcChallenge, redirectUri: string): Promise<URL> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load()
    return buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
  }

  /** Null if the provider has not verified the address. Throws if the response of the provider is not valid. */
  async personBehind(returned: URL, { verifier, state, nonce }: OidcChallenge): Promise<OidcPerson | null> {
    const { authorizationCodeGrant, fetchUserInfo } = await load()
    const configuration = await this.#discover()
    const tokens = await authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) return null
    // Some providers have the address in the token, others only in the user info.
    const info =
      claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
    const { email, email_verified: isVerified, name } = info
    if (typeof email !== 'string' || isVerified !== true) return null
    return { email, name: typeof name === 'string' ? name : '' }
  }

  /** Cached; a failed discovery is retried at the next sign-in. */
  #discover(): Promise<Configuration> {
    this.#configuration ??= this.#fetchConfiguration().catch((error) => {
      this.#configuration = null
      throw error
    })
    return this.#configuration
  }

  async #fetchConfiguration(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, ClientSecretPost, None } = await load()
    const { issuer, clientId, clientSecret } = this.settings
    const url = new URL(issuer)
    const authentication = clientSecret === null ? None() : ClientSecretPost(clientSecret)
    const execute = url.protocol === 'http:' ? [allowInsecureRequests] : []
    return discovery(url, clientId, undefined, authentication, { execute, timeout: 10 })
  }
}
