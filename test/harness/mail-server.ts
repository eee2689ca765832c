// An SMTP server (RFC 5321) that stores all mail for the test.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

export interface Received {
  from: string
  to: string[]
  text: string
}

export async function startMailServer(): Promise<{ url: string; received: Received[]; refuse: { all: boolean } }> {
  const received: Received[] = []
  const refuse = { all: false }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    socket.on('error', () => {})
    serve(socket, received, refuse)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received, refuse }
}

function serve(socket: Socket, received: Received[], refuse: { all: boolean }): void {
  let read = ''
  let letter: Received = { from: '', to: [], text: '' }
  let isData = false
  socket.write('220 mail.example ESMTP\r\n')
  socket.on('data', (bytes) => {
    read += bytes
    for (let end = read.indexOf('\r\n'); end >= 0; end = read.indexOf('\r\n')) {
      const line = read.slice(0, end)
      read = read.slice(end + 2)
      socket.write(answer(line))
    }
  })
  const answer = (line: string): string => {
    if (isData && line !== '.') {
      letter.text += `${line}\n`
      return ''
    }
    if (isData) {
      isData = false
      received.push(letter)
      letter = { from: '', to: [], text: '' }
      return '250 kept\r\n'
    }
    if (/^EHLO/i.test(line)) return '250 mail.example\r\n'
    if (/^MAIL FROM:/i.test(line)) {
      letter.from = /<(.*?)>/.exec(line)?.[1] ?? ''
      return refuse.all ? '451 later\r\n' : '250 ok\r\n'
    }
    if (/^RCPT TO:/i.test(line)) letter.to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
    if (/^DATA/i.test(line)) {
      isData = true
      return '354 go on\r\n'
    }
    return /^QUIT/i.test(line) ? '221 bye\r\n' : '250 ok\r\n'
  }
}
