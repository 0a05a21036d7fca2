import type { ThemedToken } from 'shiki/types'
import { escapeHtml, type MarkedUpCode } from './document.ts'

/** Formats Shiki's tokens as HTML. Each distinct style becomes one CSS class. */
export function markUp(
  lines: readonly (readonly ThemedToken[])[],
  theme: { readonly fg: string; readonly bg: string },
): MarkedUpCode {
  const classes = new Map<string, string>()
  const findClass = (style: string) => classes.get(style) ?? addClass(classes, style)
  return {
    html: lines.map(line => formatLine(mergeRuns(line, theme.fg), findClass)).join('\n'),
    foreground: theme.fg,
    background: theme.bg,
    css: Array.from(classes, ([style, name]) => `.${name}{${style}}`).join('\n'),
  }
}

interface Run {
  readonly style: string
  text: string
}

function mergeRuns(line: readonly ThemedToken[], foreground: string): Run[] {
  const runs: Run[] = []
  for (const token of line) {
    const style = formatStyle(token, foreground)
    const last = runs.at(-1)
    if (last?.style === style) last.text += token.content
    else runs.push({ style, text: token.content })
  }
  return runs
}

// The bits of `FontStyle` in vscode-textmate; -1 means "not set".
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

function formatLine(runs: readonly Run[], findClass: (style: string) => string): string {
  return runs.map(run => formatRun(run, findClass)).join('')
}

function formatRun({ style, text }: Run, findClass: (style: string) => string): string {
  return style === '' ? escapeHtml(text) : `<span class="${findClass(style)}">${escapeHtml(text)}</span>`
}

function addClass(classes: Map<string, string>, style: string): string {
  const name = `c${classes.size}`
  classes.set(style, name)
  return name
}
