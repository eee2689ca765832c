// Every setting that affects a submission: the setting, the message and what an SMSC must read; shared by our SMSC and Net::SMPP.

import { DEFAULT_SMPP_SETTINGS } from '../../src/domain/carriers/smpp/smpp-settings.ts'
import { smppView } from '../../src/manage/carriers/smpp-settings.ts'

/** A submit_sm as read by the SMSC: numbers, texts, bytes in hex, TLVs by tag. */
export interface Seen {
  service_type: string
  source_addr_ton: number
  source_addr_npi: number
  source_addr: string
  dest_addr_ton: number
  dest_addr_npi: number
  destination_addr: string
  esm_class: number
  priority_flag: number
  validity_period: string
  registered_delivery: number
  data_coding: number
  short_message: string
  tlvs: Record<string, string>
}

export interface Case {
  name: string
  /** Fields of the carrier itself. */
  carrier?: Record<string, unknown>
  smpp?: Record<string, unknown>
  /** The message, or an OTP. */
  send?: { text?: string; senderId?: string; type?: 'promotional'; code?: true; template?: true }
  /** Expected fields per segment; `to` overrides the recipient. */
  sees: (to: string) => Partial<Seen>[]
}

/** Reset before each case. */
export const USUAL_CARRIER = {
  alphabet: 'gsm',
  longMessages: 'udh',
  sourceTon: null,
  sourceNpi: null,
  defaultSender: null,
  smpp: smppView({ ...DEFAULT_SMPP_SETTINGS, host: '', port: 0, systemId: '' }).smpp,
}

const NONE = { ton: null, npi: null }
const hex = (text: string, alphabet: BufferEncoding = 'latin1') => Buffer.from(text, alphabet).toString('hex')
const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex')

/** Four GSM segments, and more in UCS-2. */
const LONG = 'Your order is on its way. '.repeat(12)
const part = (reference: RegExp, seen: Partial<Seen> = {}) => ({
  ...seen,
  short_message: reference as unknown as string,
})

export const CASES: Case[] = [
  {
    name: 'what is usual',
    sees: (to) => [
      {
        service_type: '',
        source_addr_ton: 5,
        source_addr_npi: 0,
        source_addr: 'Brand',
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: to.slice(1),
        esm_class: 0,
        priority_flag: 0,
        validity_period: '000002000000000R',
        registered_delivery: 1,
        data_coding: 0,
        short_message: hex('Hello'),
        tlvs: {},
      },
    ],
  },
  { name: 'serviceType', smpp: { serviceType: 'CMT' }, sees: () => [{ service_type: 'CMT' }] },
  {
    name: 'destinationFormat plus',
    smpp: { destinationFormat: 'plus' },
    sees: (to) => [{ destination_addr: to, dest_addr_ton: 1, dest_addr_npi: 1 }],
  },
  {
    name: 'destinationFormat zeros',
    smpp: { destinationFormat: 'zeros' },
    sees: (to) => [{ destination_addr: `00${to.slice(1)}`, dest_addr_ton: 0, dest_addr_npi: 1 }],
  },
  {
    name: 'destinationFormat national',
    smpp: { destinationFormat: 'national' },
    sees: (to) => [{ destination_addr: to.slice(4), dest_addr_ton: 2, dest_addr_npi: 1 }],
  },
  {
    name: 'destinationTon and destinationNpi',
    smpp: { destinationTon: 4, destinationNpi: 8 },
    sees: (to) => [{ destination_addr: to.slice(1), dest_addr_ton: 4, dest_addr_npi: 8 }],
  },
  {
    name: 'allowedSenders, with the default sender in place of another',
    carrier: { defaultSender: 'Everest' },
    smpp: { allowedSenders: ['3355'] },
    sees: () => [{ source_addr: 'Everest', source_addr_ton: 5 }],
  },
  {
    name: 'allowedSenders, with the first of them where there is no default sender',
    smpp: { allowedSenders: ['3355', 'Everest'] },
    sees: () => [{ source_addr: '3355', source_addr_ton: 0, source_addr_npi: 0 }],
  },
  {
    name: 'senderRewrites, whatever the case of the sender',
    smpp: { senderRewrites: { 'HIMAL Bank': '+9779801234567'.slice(1) } },
    send: { senderId: 'Himal BANK' },
    sees: () => [{ source_addr: '9779801234567', source_addr_ton: 1, source_addr_npi: 1 }],
  },
  {
    name: 'senderTypes of words, before sourceTon of all',
    carrier: { sourceTon: 3, sourceNpi: 9 },
    smpp: { senderTypes: { number: NONE, shortCode: { ton: 6, npi: null }, word: { ton: 0, npi: null } } },
    sees: () => [{ source_addr: 'Brand', source_addr_ton: 0, source_addr_npi: 9 }],
  },
  {
    name: 'senderTypes of short codes',
    smpp: { senderTypes: { number: NONE, shortCode: { ton: 3, npi: 1 }, word: NONE } },
    send: { senderId: '3355' },
    sees: () => [{ source_addr: '3355', source_addr_ton: 3, source_addr_npi: 1 }],
  },
  {
    name: 'senderTypes of numbers',
    smpp: { senderTypes: { number: { ton: 2, npi: 8 }, shortCode: NONE, word: NONE } },
    send: { senderId: '+9779801234567' },
    sees: () => [{ source_addr: '9779801234567', source_addr_ton: 2, source_addr_npi: 8 }],
  },
  {
    name: 'sourceTon and sourceNpi of all kinds',
    carrier: { sourceTon: 3, sourceNpi: 9 },
    send: { senderId: '3355' },
    sees: () => [{ source_addr: '3355', source_addr_ton: 3, source_addr_npi: 9 }],
  },
  {
    name: 'defaultSender for what no address can be made of',
    carrier: { defaultSender: 'Everest' },
    send: { senderId: 'नमस्ते' },
    sees: () => [{ source_addr: 'Everest', source_addr_ton: 5, source_addr_npi: 0 }],
  },
  {
    name: 'dataCodings of ASCII',
    carrier: { alphabet: 'ascii' },
    smpp: { dataCodings: { gsm: 0, latin1: 3, ascii: 1, ucs2: 8 } },
    send: { text: 'a@b_c' },
    sees: () => [{ data_coding: 1, short_message: hex('a@b_c') }],
  },
  {
    name: 'dataCodings of Latin-1',
    carrier: { alphabet: 'latin1' },
    smpp: { dataCodings: { gsm: 0, latin1: 3, ascii: 1, ucs2: 8 } },
    send: { text: 'Café' },
    sees: () => [{ data_coding: 3, short_message: hex('Café') }],
  },
  {
    name: 'dataCodings of GSM',
    smpp: { dataCodings: { gsm: 0xf0, latin1: 3, ascii: 1, ucs2: 8 } },
    send: { text: 'Café' },
    sees: () => [{ data_coding: 0xf0, short_message: '43616605' }],
  },
  {
    name: 'dataCodings of UCS-2',
    smpp: { dataCodings: { gsm: 0, latin1: 3, ascii: 1, ucs2: 0x18 } },
    send: { text: 'नमस्ते' },
    sees: () => [{ data_coding: 0x18, short_message: ucs2('नमस्ते') }],
  },
  {
    name: 'fallback to UCS-2 where the segments stay as many',
    carrier: { alphabet: 'latin1' },
    send: { text: 'It is 5 €' },
    sees: () => [{ data_coding: 8, short_message: ucs2('It is 5 €') }],
  },
  {
    name: 'the nearest characters where UCS-2 would take more segments than were paid for',
    carrier: { alphabet: 'ascii' },
    send: { text: `Café Ω¤ ${'x'.repeat(80)}` },
    sees: () => [{ data_coding: 0, short_message: hex(`Cafe O? ${'x'.repeat(80)}`) }],
  },
  {
    name: 'fallback to the nearest characters',
    carrier: { alphabet: 'ascii' },
    smpp: { fallback: 'nearest' },
    send: { text: 'Café' },
    sees: () => [{ data_coding: 0, short_message: hex('Cafe') }],
  },
  {
    name: 'longMessages udh',
    send: { text: LONG },
    sees: () => [1, 2, 3].map((number) => part(new RegExp(`^050003..030${number}`), { esm_class: 0x40, tlvs: {} })),
  },
  {
    name: 'longMessages udh in UCS-2, in a coding of the carrier',
    smpp: { dataCodings: { gsm: 0, latin1: 3, ascii: 1, ucs2: 0x18 } },
    send: { text: 'न'.repeat(71) },
    sees: () => [
      { esm_class: 0x40, data_coding: 0x18, ...part(/^050003..0201(0928){67}$/) },
      { esm_class: 0x40, data_coding: 0x18, ...part(/^050003..0202(0928){4}$/) },
    ],
  },
  {
    name: 'referenceBits 16',
    smpp: { referenceBits: 16 },
    send: { text: LONG },
    sees: () => [1, 2, 3].map((number) => part(new RegExp(`^060804....030${number}`), { esm_class: 0x40 })),
  },
  {
    name: 'referenceBits 16 stay 8 where the wider header would take one more segment',
    smpp: { referenceBits: 16 },
    send: { text: 'x'.repeat(306) },
    sees: () => [1, 2].map((number) => part(new RegExp(`^050003..020${number}(78){153}$`))),
  },
  {
    name: 'longMessages sar',
    carrier: { longMessages: 'sar' },
    send: { text: LONG },
    sees: () => [1, 2, 3].map((number) => ({ esm_class: 0, tlvs: { '020c': '', '020e': '03', '020f': `0${number}` } })),
  },
  {
    name: 'longMessages payload',
    carrier: { longMessages: 'payload' },
    send: { text: LONG },
    sees: () => [{ esm_class: 0, short_message: '', tlvs: { '0424': hex(LONG) } }],
  },
  {
    name: 'validity absolute, in UTC',
    smpp: { validity: 'absolute' },
    sees: () => [{ validity_period: '261118040000000+' }],
  },
  { name: 'validity none', smpp: { validity: 'none' }, sees: () => [{ validity_period: '' }] },
  {
    name: 'validityMaxSeconds',
    smpp: { validityMaxSeconds: 3600 },
    sees: () => [{ validity_period: '000000010000000R' }],
  },
  {
    name: 'validityMaxSeconds prolongs nothing',
    smpp: { validityMaxSeconds: 3600 },
    send: { code: true },
    sees: () => [{ validity_period: '000000000500000R' }],
  },
  {
    name: 'receipts one: the last segment asks',
    smpp: { receipts: 'one' },
    send: { text: LONG },
    sees: () => [0, 0, 1].map((registered_delivery) => ({ registered_delivery })),
  },
  { name: 'receipts none', smpp: { receipts: 'none' }, sees: () => [{ registered_delivery: 0 }] },
  {
    name: 'priorities of codes',
    smpp: { priorities: { otp: 3, transactional: 1, promotional: 0 } },
    send: { code: true },
    sees: () => [{ priority_flag: 3 }],
  },
  {
    name: 'priorities of other messages',
    smpp: { priorities: { otp: 3, transactional: 1, promotional: 0 } },
    sees: () => [{ priority_flag: 1 }],
  },
  {
    name: 'priorities of advertising',
    smpp: { priorities: { otp: 3, transactional: 1, promotional: 2 } },
    send: { type: 'promotional' },
    sees: () => [{ priority_flag: 2 }],
  },
  {
    name: 'tlvs by a constant, in every form',
    smpp: {
      tlvs: [
        { tag: '0x1403', value: 'plain' },
        { tag: '0x1404', form: 'cString', value: 'ended' },
        { tag: '0x1405', form: 'uint8', value: '7' },
        { tag: '0x1406', form: 'uint16', value: '258' },
        { tag: '0x1407', form: 'uint32', value: '16909060' },
        { tag: '0x1408', form: 'hex', value: 'CAFE' },
      ],
    },
    sees: () => [
      {
        tlvs: {
          '1403': hex('plain'),
          '1404': `${hex('ended')}00`,
          '1405': '07',
          '1406': '0102',
          '1407': '01020304',
          '1408': 'cafe',
        },
      },
    ],
  },
  {
    name: "tlvs by the workspace's field, and by a constant where it has none",
    smpp: {
      tlvs: [
        { tag: '0x1400', field: 'dltEntityId' },
        { tag: '0x1401', field: 'dltTemplateId' },
        { tag: '0x1402', field: 'nobodyHasIt', value: 'else' },
        { tag: '0x1403', field: 'nobodyHasIt' },
      ],
    },
    sees: () => [{ tlvs: { '1400': hex('1101000000'), '1401': hex('for codes'), '1402': hex('else') } }],
  },
  {
    name: "tlvs by the template's field, before the workspace's",
    smpp: {
      tlvs: [
        { tag: '0x1400', field: 'dltEntityId' },
        { tag: '0x1401', field: 'dltTemplateId', form: 'cString' },
      ],
    },
    send: { template: true },
    sees: () => [{ tlvs: { '1400': hex('1101000000'), '1401': `${hex('1107000001')}00` } }],
  },
]
