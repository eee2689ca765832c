// The SMPP commands, TLVs and fields in wire order, named as in SMPP 3.4 §4, §5.2, §5.3. The codec and all PDU types derive from these
// tables.
import {
  countedOctets,
  cString,
  lastCString,
  octets,
  type PduField,
  uint8,
  uint16,
  uint32,
  type ValueOf,
} from './fields.ts'

type CommandTable = Record<
  string,
  {
    id: number
    fields: Record<string, PduField<string> | PduField<number> | PduField<Buffer>>
    /** An error response has no body (SMPP 3.4 §4.1.2, §4.4.2). */
    bodyless?: 'on error'
  }
>

const bindRequest = {
  system_id: cString(16),
  // The specification allows 8 characters, but carriers assign up to 16.
  password: cString(17),
  system_type: cString(13),
  interface_version: uint8,
  addr_ton: uint8,
  addr_npi: uint8,
  address_range: cString(41),
}

const bindResponse = { system_id: lastCString(16) }

const shortMessage = {
  service_type: cString(6),
  source_addr_ton: uint8,
  source_addr_npi: uint8,
  source_addr: cString(21),
  dest_addr_ton: uint8,
  dest_addr_npi: uint8,
  destination_addr: cString(21),
  esm_class: uint8,
  protocol_id: uint8,
  priority_flag: uint8,
  schedule_delivery_time: cString(17),
  validity_period: cString(17),
  registered_delivery: uint8,
  replace_if_present_flag: uint8,
  data_coding: uint8,
  sm_default_msg_id: uint8,
  short_message: countedOctets(254),
}

const dataMessage = {
  service_type: cString(6),
  source_addr_ton: uint8,
  source_addr_npi: uint8,
  source_addr: cString(65),
  dest_addr_ton: uint8,
  dest_addr_npi: uint8,
  destination_addr: cString(65),
  esm_class: uint8,
  registered_delivery: uint8,
  data_coding: uint8,
}

const messageResponse = { message_id: lastCString(65) }

export const commands = {
  generic_nack: { id: 0x80000000, fields: {} },
  bind_receiver: { id: 0x00000001, fields: bindRequest },
  bind_receiver_resp: { id: 0x80000001, fields: bindResponse, bodyless: 'on error' },
  bind_transmitter: { id: 0x00000002, fields: bindRequest },
  bind_transmitter_resp: { id: 0x80000002, fields: bindResponse, bodyless: 'on error' },
  submit_sm: { id: 0x00000004, fields: shortMessage },
  submit_sm_resp: { id: 0x80000004, fields: messageResponse, bodyless: 'on error' },
  deliver_sm: { id: 0x00000005, fields: shortMessage },
  deliver_sm_resp: { id: 0x80000005, fields: messageResponse },
  unbind: { id: 0x00000006, fields: {} },
  unbind_resp: { id: 0x80000006, fields: {} },
  bind_transceiver: { id: 0x00000009, fields: bindRequest },
  bind_transceiver_resp: { id: 0x80000009, fields: bindResponse, bodyless: 'on error' },
  enquire_link: { id: 0x00000015, fields: {} },
  enquire_link_resp: { id: 0x80000015, fields: {} },
  data_sm: { id: 0x00000103, fields: dataMessage },
  data_sm_resp: { id: 0x80000103, fields: messageResponse },
} as const satisfies CommandTable

/** Known optional parameters; other tags are raw bytes in `tlvs.unknown`. */
export const tlvs = {
  qos_time_to_live: { tag: 0x0017, field: uint32 },
  payload_type: { tag: 0x0019, field: uint8 },
  additional_status_info_text: { tag: 0x001d, field: lastCString(256) },
  receipted_message_id: { tag: 0x001e, field: lastCString(65) },
  privacy_indicator: { tag: 0x0201, field: uint8 },
  user_message_reference: { tag: 0x0204, field: uint16 },
  user_response_code: { tag: 0x0205, field: uint8 },
  source_port: { tag: 0x020a, field: uint16 },
  destination_port: { tag: 0x020b, field: uint16 },
  sar_msg_ref_num: { tag: 0x020c, field: uint16 },
  language_indicator: { tag: 0x020d, field: uint8 },
  sar_total_segments: { tag: 0x020e, field: uint8 },
  sar_segment_seqnum: { tag: 0x020f, field: uint8 },
  sc_interface_version: { tag: 0x0210, field: uint8 },
  dpf_result: { tag: 0x0420, field: uint8 },
  set_dpf: { tag: 0x0421, field: uint8 },
  ms_availability_status: { tag: 0x0422, field: uint8 },
  network_error_code: { tag: 0x0423, field: octets(3) },
  message_payload: { tag: 0x0424, field: octets(0xffff) },
  delivery_failure_reason: { tag: 0x0425, field: uint8 },
  more_messages_to_send: { tag: 0x0426, field: uint8 },
  message_state: { tag: 0x0427, field: uint8 },
} as const satisfies Record<string, { tag: number; field: PduField<string> | PduField<number> | PduField<Buffer> }>

type Commands = typeof commands

export type CommandName = keyof Commands
export type RequestName = Exclude<CommandName, `${string}_resp` | 'generic_nack'>
export type ResponseName = Exclude<CommandName, RequestName>
export type BindCommand = Extract<RequestName, `bind_${string}`>
/** The requests that carry a message. */
export type MessageName = Extract<RequestName, `${string}_sm`>

export type UnknownTlv = { tag: number; value: Buffer }

export type Tlvs = { [T in keyof typeof tlvs]?: ValueOf<(typeof tlvs)[T]['field']> } & { unknown?: UnknownTlv[] }

type Fields<C extends CommandName> = {
  [F in keyof Commands[C]['fields']]: ValueOf<Commands[C]['fields'][F]>
}

/** A decoded PDU. Comparing `pdu.command` narrows the fields. */
export type Pdu<C extends CommandName = CommandName> = C extends CommandName
  ? { command: C; status: number; sequence: number; tlvs: Tlvs } & Fields<C>
  : never

/** The body of a PDU; omitted fields are written as NULL. */
export type Body<C extends CommandName> = Partial<Fields<C>> & { tlvs?: Tlvs }

export type OutgoingPdu<C extends CommandName = CommandName> = C extends CommandName
  ? { command: C; sequence: number; status?: number } & Body<C>
  : never

export function isResponse(pdu: Pdu): pdu is Pdu<ResponseName> {
  return commands[pdu.command].id >= 0x80000000
}

export function responseTo<C extends RequestName>(command: C): `${C}_resp` {
  return `${command}_resp`
}
