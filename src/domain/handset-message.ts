// A message as the handset of the simulator shows it: that is how one reads a code without a SIM.

export interface HandsetMessage {
  to: string
  from: string
  text: string
  receivedAt: Date
}
