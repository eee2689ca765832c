// The texts of the search that ⌘K opens, in Nepali.
import type { PaletteWords } from './shape.ts'

export const nePalette: PaletteWords = {
  palette: {
    pages: 'पृष्ठहरू',
    carriers: 'क्यारियर',
    deliveries: 'वेबहुक इभेन्ट',
    failedRequests: 'असफल अनुरोध',
    messagesTo: (number) => `${number} मा गएका सन्देश`,
    sendTo: (number) => `${number} मा सन्देश पठाउनुहोस्`,
    searchMessages: (text) => `सबै सन्देशमा “${text}” खोज्नुहोस्`,
    theme: (name) => `थिम: ${name}`,
    addCredit: 'क्रेडिट थप्नुहोस्',
    searching: 'खोज्दै…',
    found: (_count, shown) => `${shown} नतिजा`,
    what: 'नम्बर, आईडी, नाम, पृष्ठ र काम',
  },
}
