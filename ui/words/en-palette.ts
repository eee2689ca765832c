// The texts of the search that ⌘K opens, in English.
export const enPalette = {
  palette: {
    pages: 'Pages',
    carriers: 'Carriers',
    deliveries: 'Webhook events',
    failedRequests: 'Failed requests',
    messagesTo: (number: string) => `Messages to ${number}`,
    sendTo: (number: string) => `Send a message to ${number}`,
    searchMessages: (text: string) => `Search all messages for “${text}”`,
    theme: (name: string) => `Theme: ${name}`,
    addCredit: 'Add credit (top up)',
    searching: 'Searching…',
    found: (count: number, shown: string) => `${shown} ${count === 1 ? 'result' : 'results'}`,
    what: 'Numbers, IDs, names, pages and actions',
  },
}
