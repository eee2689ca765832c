// oidc-provider has no types.
declare module 'oidc-provider'
