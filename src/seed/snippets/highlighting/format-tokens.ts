import type { ThemedToken } from 'shiki/types'
import { escapeHtml, type FormattedCode } from './document.ts'

/** Formats Shiki's tokens as HTML. Each style that differs from the theme's default becomes one CSS class. */
export function formatTokens(
  lines: readonly (readonly ThemedToken[])[],
  theme: { readonly fg: string; readonly bg: string },
): FormattedCode {
  const classes = new Map<string, string>()
  const assignClass = (style: string) => classes.get(style) ?? addClass(classes, style)
  return {
    html: lines.map(line => formatLine(mergeTokens(line, theme.fg), assignClass)).join('\n'),
    foreground: theme.fg,
    background: theme.bg,
    css: Array.from(classes, ([style, name]) => `.${name}{${style}}`).join('\n'),
  }
}

/** Successive tokens with the same style. */
interface TextRun {
  readonly style: string
  text: string
}

function mergeTokens(line: readonly ThemedToken[], foreground: string): TextRun[] {
  const runs: TextRun[] = []
  for (const token of line) {
    const style = formatStyle(token, foreground)
    const last = runs.at(-1)
    if (last?.style === style) last.text += token.content
    else runs.push({ style, text: token.content })
  }
  return runs
}

// The bits of `FontStyle` in vscode-textmate: 1 italic, 2 bold, 4 underline, 8 strikethrough. -1 means "not set".
function formatStyle({ color = '', fontStyle = 0 }: ThemedToken, foreground: string): string {
  const bits = Math.max(fontStyle, 0)
  const decorations = [bits & 4 && 'underline', bits & 8 && 'line-through'].filter(Boolean).join(' ')
  return [
    color !== '' && color.toLowerCase() !== foreground.toLowerCase() && `color:${color}`,
    bits & 1 && 'font-style:italic',
    bits & 2 && 'font-weight:bold',
    decorations && `text-decoration:${decorations}`,
  ]
    .filter(Boolean)
    .join(';')
}

function formatLine(runs: readonly TextRun[], assignClass: (style: string) => string): string {
  return runs.map(run => formatRun(run, assignClass)).join('')
}

function formatRun({ style, text }: TextRun, assignClass: (style: string) => string): string {
  return style === '' ? escapeHtml(text) : `<span class="${assignClass(style)}">${escapeHtml(text)}</span>`
}

function addClass(classes: Map<string, string>, style: string): string {
  const name = `c${classes.size}`
  classes.set(style, name)
  return name
}
