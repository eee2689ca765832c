// What few carriers want otherwise, as options; docs/reference/carriers.md tells when.
import type { Option } from './command.ts'

const octet = '0 to 255'

/** `tlsServerName` of the group is `--tls-server-name`. */
function inGroup(options: Record<string, Option>): Record<string, Option> {
  const at = (name: string) => `smpp.${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { at: at(name), ...option }]))
}

export const smppOptions: Record<string, Option> = {
  ...inGroup({
    'other-hosts': { kind: 'json', tells: '[{"host": …, "port": …}]', otherwise: 'none' },
    'tls-server-name': { kind: 'text', tells: 'that its certificate is for', otherwise: 'host', none: 'null' },
    'tls-ca': { kind: 'pem', tells: 'who vouches for it', otherwise: 'the system', none: 'null' },
    'tls-certificate': { kind: 'pem', tells: 'of our own', otherwise: 'none', none: 'null' },
    'connect-seconds': { kind: 'number', tells: 'for a connection', otherwise: '10' },
    'bind-seconds': { kind: 'number', tells: 'for the answer to a bind', otherwise: '10' },
    'enquire-seconds': { kind: 'number', tells: 'of silence, then it is asked', otherwise: '30' },
    'enquire-answer-seconds': { kind: 'number', tells: 'for the answer to that', otherwise: '10' },
    'address-ton': { kind: 'number', tells: `${octet}, of the bind`, otherwise: '0' },
    'address-npi': { kind: 'number', tells: `${octet}, of the bind`, otherwise: '0' },
    'address-range': { kind: 'text', tells: 'of the bind', otherwise: 'empty' },
    receivers: { kind: 'number', tells: 'beside transmitters', otherwise: '1' },
    'service-type': { kind: 'text', tells: 'of each message', otherwise: 'empty' },
    'destination-format': {
      kind: 'text',
      tells: 'international, plus, zeros, national',
      otherwise: 'international',
    },
    'destination-ton': { kind: 'number', tells: octet, otherwise: 'by format', none: 'null' },
    'destination-npi': { kind: 'number', tells: octet, otherwise: '1', none: 'null' },
    'allowed-senders': { kind: 'list', tells: 'no others', otherwise: 'all', none: 'empty' },
    'sender-rewrites': { kind: 'json', tells: '{"given": "sent"}', otherwise: 'none' },
    'sender-types': { kind: 'json', tells: 'ton and npi by kind of sender', otherwise: 'as usual' },
    'data-codings': { kind: 'json', tells: '{"gsm": …, …}', otherwise: '0, 0, 0, 8' },
    fallback: { kind: 'text', tells: 'ucs2 or nearest', otherwise: 'ucs2' },
    'reference-bits': { kind: 'number', tells: '8 or 16', otherwise: '8' },
    validity: { kind: 'text', tells: 'relative, absolute, none', otherwise: 'relative' },
    'validity-max-seconds': { kind: 'number', tells: '60 to 172800', otherwise: 'no limit', none: 'null' },
    receipts: { kind: 'text', tells: 'each, one, none', otherwise: 'each' },
    priorities: { kind: 'json', tells: '{"otp": 0 to 3, …}', otherwise: '0' },
    tlvs: { kind: 'json', tells: '[{"tag": "0x1400", …}]', otherwise: 'none' },
  }),
  'tls-key': { kind: 'pem', tells: 'of the certificate; never shown', otherwise: 'none', none: 'null' },
}
