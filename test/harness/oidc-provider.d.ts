// The provider of the tests comes without types.
declare module 'oidc-provider'
