// The HTML page of the console, without inline scripts or styles. Theme and language are cookies, so the first paint has both.
import { FAVICON_LINK, type PageTheme, readTheme } from '../http/pages.ts'
import type { Bundle } from './bundle.ts'

const LANGUAGES = ['en', 'ne'] as const

interface Choices {
  theme: PageTheme
  language: (typeof LANGUAGES)[number]
}

/** Cookies come first, then the first supported language of the browser. */
export function readChoices(headers: Record<string, unknown>): Choices {
  const cookies = String(headers.cookie ?? '')
  const accepted = String(headers['accept-language'] ?? '')
    .split(',')
    .map((it) => it.trim().slice(0, 2).toLowerCase())
  const wanted = [/(?:^|; ?)hulaki-language=(\w+)/.exec(cookies)?.[1] ?? '', ...accepted]
  return {
    theme: readTheme(cookies),
    language: wanted.flatMap((it) => LANGUAGES.find((known) => known === it) ?? [])[0] ?? 'en',
  }
}

export function pageFor(bundle: Bundle, assets: string, choices: Choices): string {
  const { script, style, core, words, oldBrowsers } = bundle
  const early = [core, words[choices.language]].flatMap((name) => name ?? [])
  return `${opening(choices)}
<link rel="stylesheet" href="${assets}/${style}">
${early.map((name) => `<link rel="modulepreload" href="${assets}/${name}">`).join('\n')}
<script type="module" src="${assets}/${script}"></script>
<script nomodule defer src="${assets}/${oldBrowsers}"></script>
</head>
<body>
<div id="root"></div>
<noscript><p class="sentence">${NO_SCRIPT[choices.language]}</p></noscript>
</body>
</html>
`
}

export function unavailablePage(choices: Choices): string {
  return `${opening(choices)}
</head>
<body>
<p>${UNAVAILABLE[choices.language]}</p>
</body>
</html>
`
}

function opening({ theme, language }: Choices): string {
  return `<!doctype html>
<html lang="${language}"${theme ? ` data-theme="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>Hulaki</title>
${FAVICON_LINK}`
}

const NO_SCRIPT: Record<Choices['language'], string> = {
  en: 'The console needs JavaScript. Without it, use the command line (<code>bin/hulaki --help</code>) or the API (<a href="/docs">/docs</a>).',
  ne: 'कन्सोलका लागि JavaScript चाहिन्छ। नभए कमाण्ड लाइन (<code>bin/hulaki --help</code>) वा API (<a href="/docs">/docs</a>) प्रयोग गर्नुहोस्।',
}
const UNAVAILABLE: Record<Choices['language'], string> = {
  en: 'The console is not available: its build failed when the service started. Check the log. The API still works.',
  ne: 'कन्सोल देखाउन सकिएन: सेवा सुरु हुँदा यसको बिल्ड असफल भयो। लग हेर्नुहोस्। API भने चल्छ।',
}
