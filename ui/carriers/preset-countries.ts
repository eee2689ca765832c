// The presets that reach one country only; a test compares them with the descriptions.
export const ONLY_COUNTRY: Readonly<Record<string, string>> = { sparrow: 'NP', aakash: 'NP' }
