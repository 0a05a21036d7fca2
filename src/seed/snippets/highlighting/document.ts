/** The fields of a snippet that its page shows. */
export interface SnippetSource {
  readonly code: string
  /** A name in `languages`; code in an unknown language is shown as plain text. */
  readonly language: string
  /** A name in `styles`; an unknown style is shown as `default`. */
  readonly style: string
  readonly linenos: boolean
  readonly title: string
}

/** Code as HTML, with the CSS for its class names. */
export interface FormattedCode {
  readonly html: string
  readonly foreground: string
  readonly background: string
  readonly css: string
}

/**
 * Formats the page of a snippet (`RES-SNIP-r8`): a complete HTML document that loads nothing. With `linenos`, the code
 * is in a table with the line numbers in a separate cell, so that readers can copy the code without them
 * (`RES-SNIP-r5`).
 *
 * @example
 * ```ts
 * formatDocument({ title: 'Hi', linenos: true }, plainCode('print(1)'))
 * ```
 */
export function formatDocument(page: Pick<SnippetSource, 'title' | 'linenos'>, code: FormattedCode): string {
  const block = `<pre><code>${code.html}\n</code></pre>`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(documentTitle(page.title))}</title>
<style>${stylesheet(code)}</style>
</head>
<body>
${page.linenos ? numberedTable(block, countLines(code.html)) : block}
</body>
</html>
`
}

/** Formats the code without highlighting, for code that cannot be highlighted in time. */
export function plainCode(code: string): FormattedCode {
  const html = escapeHtml(normalizeLineEnds(code))
  return { html, foreground: 'CanvasText', background: 'Canvas', css: ':root{color-scheme:light dark}' }
}

/**
 * Replaces every line end with `\n` and removes the last one, so that lines are counted as in an editor.
 */
export function normalizeLineEnds(code: string): string {
  const lines = code.includes('\r') ? code.replace(/\r\n?/g, '\n') : code
  return lines.endsWith('\n') ? lines.slice(0, -1) : lines
}

/** Escapes text for HTML content; not safe for attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

// HTML requires a title that is not blank.
function documentTitle(title: string): string {
  return title.trim() === '' ? 'Snippet' : title
}

function numberedTable(block: string, lines: number): string {
  const cells = [`<td class="linenos" aria-hidden="true"><pre>${formatNumbers(lines)}</pre></td>`, `<td>${block}</td>`]
  return `<table><tr>${cells.join('')}</tr></table>`
}

function formatNumbers(lines: number): string {
  let numbers = '1'
  for (let line = 2; line <= lines; line += 1) numbers += `\n${line}`
  return numbers
}

function countLines(html: string): number {
  let lines = 1
  for (let end = html.indexOf('\n'); end !== -1; end = html.indexOf('\n', end + 1)) lines += 1
  return lines
}

function stylesheet({ foreground, background, css }: FormattedCode): string {
  return [
    `body{margin:0;color:${foreground};background:${background}}`,
    'pre{margin:0;padding:1em;font:14px/1.4 ui-monospace,monospace;tab-size:4}',
    'code{font:inherit}',
    'table{border-spacing:0}',
    'td{padding:0;vertical-align:top}',
    '.linenos{text-align:right;opacity:.6;user-select:none}',
    '.linenos pre{padding-right:0}',
    css,
  ].join('\n')
}
