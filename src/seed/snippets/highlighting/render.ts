import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createOnigurumaEngine } from 'shiki/engine/oniguruma'
import { type BundledLanguage, bundledLanguages } from 'shiki/langs'
import { type BundledTheme, bundledThemes } from 'shiki/themes'
import { type FormattedCode, formatDocument, normalizeLineEnds, plainCode, type SnippetSource } from './document.ts'
import { formatTokens } from './format-tokens.ts'
import { languages } from './languages.ts'
import { defaultTheme, styles } from './styles.ts'

// Oniguruma supports all 242 grammars. Shiki's JavaScript engine fails on one, highlights 23 others differently, and
// takes over 3 s for a line of 20,000 `a` as Java; Oniguruma takes 20 ms.
const engine = await createOnigurumaEngine(import('shiki/wasm'))

// A loaded grammar takes about 4 MB, and Shiki never unloads one.
const maxGrammars = 20
const loadedGrammars = new Set<string>()
let highlighter = await createShiki()

/** Renders the highlighted page of a snippet. Has no time limit, so call it only in a worker thread. */
export async function renderSnippet(snippet: SnippetSource): Promise<string> {
  const lang = languages.get(snippet.language) ?? 'text'
  const theme = styles.get(snippet.style) ?? defaultTheme
  await load(lang, theme)
  return formatDocument(snippet, highlightCode(snippet.code, lang, theme))
}

function highlightCode(code: string, lang: string, theme: string): FormattedCode {
  const { fg, bg } = highlighter.getTheme(theme)
  if (lang === 'text') return { ...plainCode(code), foreground: fg, background: bg, css: '' }
  // Disables the time limit per line, which would make the result depend on the load of the machine.
  const options = { lang, theme, tokenizeTimeLimit: 0 }
  return formatTokens(highlighter.codeToTokensBase(normalizeLineEnds(code), options), { fg, bg })
}

async function load(lang: string, theme: string): Promise<void> {
  if (!loadedGrammars.has(lang)) await unloadGrammarsIfFull()
  await highlighter.loadTheme(bundledThemes[theme as BundledTheme])
  if (lang !== 'text') await highlighter.loadLanguage(bundledLanguages[lang as BundledLanguage])
  loadedGrammars.add(lang)
}

async function unloadGrammarsIfFull(): Promise<void> {
  if (loadedGrammars.size < maxGrammars) return
  highlighter.dispose()
  loadedGrammars.clear()
  highlighter = await createShiki()
}

function createShiki(): Promise<HighlighterCore> {
  return createHighlighterCore({ engine })
}
