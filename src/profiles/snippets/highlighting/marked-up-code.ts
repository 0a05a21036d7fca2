import type { ThemedToken } from 'shiki/types'
import { escapeHtml, type MarkedUpCode } from './document.ts'

/** What Shiki's tokens become; each look is a class, written once in the page's style sheet. */
export function markUp(
  lines: readonly (readonly ThemedToken[])[],
  theme: { readonly fg: string; readonly bg: string },
): MarkedUpCode {
  const classes = new Map<string, string>()
  const classOf = (look: string) => classes.get(look) ?? addClass(classes, look)
  return {
    html: lines.map(line => formatLine(mergeLooks(line, theme.fg), classOf)).join('\n'),
    foreground: theme.fg,
    background: theme.bg,
    css: Array.from(classes, ([look, name]) => `.${name}{${look}}`).join('\n'),
  }
}

interface Run {
  readonly look: string
  text: string
}

function mergeLooks(line: readonly ThemedToken[], foreground: string): Run[] {
  const runs: Run[] = []
  for (const token of line) {
    const look = lookOf(token, foreground)
    const last = runs.at(-1)
    if (last?.look === look) last.text += token.content
    else runs.push({ look, text: token.content })
  }
  return runs
}

// The bits are those of `FontStyle` in vscode-textmate; -1 stands for "not set".
function lookOf({ color = '', fontStyle = 0 }: ThemedToken, foreground: string): string {
  const bits = Math.max(fontStyle, 0)
  const lines = [bits & 4 && 'underline', bits & 8 && 'line-through'].filter(Boolean).join(' ')
  return [
    color !== '' && color.toLowerCase() !== foreground.toLowerCase() && `color:${color}`,
    bits & 1 && 'font-style:italic',
    bits & 2 && 'font-weight:bold',
    lines && `text-decoration:${lines}`,
  ]
    .filter(Boolean)
    .join(';')
}

function formatLine(runs: readonly Run[], classOf: (look: string) => string): string {
  return runs.map(run => formatRun(run, classOf)).join('')
}

function formatRun({ look, text }: Run, classOf: (look: string) => string): string {
  return look === '' ? escapeHtml(text) : `<span class="${classOf(look)}">${escapeHtml(text)}</span>`
}

function addClass(classes: Map<string, string>, look: string): string {
  const name = `c${classes.size}`
  classes.set(look, name)
  return name
}
