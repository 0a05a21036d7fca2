import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createOnigurumaEngine } from 'shiki/engine/oniguruma'
import { type BundledLanguage, bundledLanguages } from 'shiki/langs'
import { type BundledTheme, bundledThemes } from 'shiki/themes'
import { formatDocument, type MarkedUpCode, normalizeLineEnds, plainCode, type SnippetSource } from './document.ts'
import { languages } from './languages.ts'
import { markUp } from './marked-up-code.ts'
import { defaultTheme, styles } from './styles.ts'

// Oniguruma reads all 242 grammars; the JavaScript engine fails on one, colours 23 others differently, and takes
// over 3 s for a line of 20 000 `a` as Java, for which Oniguruma takes 20 ms.
const engine = await createOnigurumaEngine(import('shiki/wasm'))

// Grammars in use take about 4 MB each, and Shiki keeps them all.
const maxGrammars = 20
const loaded = new Set<string>()
let highlighter = await createShiki()

/** The page of a snippet in colours; for a worker thread only, since it may take as long as it likes. */
export async function renderSnippet(snippet: SnippetSource): Promise<string> {
  const lang = languages.get(snippet.language) ?? 'text'
  const theme = styles.get(snippet.style) ?? defaultTheme
  await load(lang, theme)
  return formatDocument(snippet, markUpCode(snippet.code, lang, theme))
}

function markUpCode(code: string, lang: string, theme: string): MarkedUpCode {
  const { fg, bg } = highlighter.getTheme(theme)
  if (lang === 'text') return { ...plainCode(code), foreground: fg, background: bg, css: '' }
  // No time limit for a line: the result would depend on how busy the machine is.
  const options = { lang, theme, tokenizeTimeLimit: 0 }
  return markUp(highlighter.codeToTokensBase(normalizeLineEnds(code), options), { fg, bg })
}

async function load(lang: string, theme: string): Promise<void> {
  if (!loaded.has(lang)) await makeRoom()
  await highlighter.loadTheme(bundledThemes[theme as BundledTheme])
  if (lang !== 'text') await highlighter.loadLanguage(bundledLanguages[lang as BundledLanguage])
  loaded.add(lang)
}

async function makeRoom(): Promise<void> {
  if (loaded.size < maxGrammars) return
  highlighter.dispose()
  loaded.clear()
  highlighter = await createShiki()
}

function createShiki(): Promise<HighlighterCore> {
  return createHighlighterCore({ engine })
}
