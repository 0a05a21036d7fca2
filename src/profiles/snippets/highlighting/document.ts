/** What a snippet's page is made from. */
export interface SnippetSource {
  readonly code: string
  /** A name in `languages`; any other is shown as plain text. */
  readonly language: string
  /** A name in `styles`; any other is shown as `default`. */
  readonly style: string
  readonly linenos: boolean
  readonly title: string
}

/** Code as HTML, with the CSS that its class names need. */
export interface MarkedUpCode {
  readonly html: string
  readonly foreground: string
  readonly background: string
  readonly css: string
}

/**
 * The page of a snippet (`RES-SNIP-r8`): a full HTML document that needs nothing but its own `<style>`; with
 * `linenos` a table with the numbers in one cell and the code in the other, so that copying the code leaves the
 * numbers behind (`RES-SNIP-r5`).
 *
 * @example
 * ```ts
 * formatDocument({ title: 'Hi', linenos: true }, plainCode('print(1)'))
 * ```
 */
export function formatDocument(page: Pick<SnippetSource, 'title' | 'linenos'>, code: MarkedUpCode): string {
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

/** The code without colours: what is served when highlighting is not possible in the time there is. */
export function plainCode(code: string): MarkedUpCode {
  const html = escapeHtml(normalizeLineEnds(code))
  return { html, foreground: 'CanvasText', background: 'Canvas', css: ':root{color-scheme:light dark}' }
}

/**
 * The code with its lines as an editor numbers them and a browser reads them: every line end is a `\n`, and the
 * one that ends the last line begins no further line.
 */
export function normalizeLineEnds(code: string): string {
  const lines = code.includes('\r') ? code.replace(/\r\n?/g, '\n') : code
  return lines.endsWith('\n') ? lines.slice(0, -1) : lines
}

/** Text as HTML; for content only, not for an attribute's value. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

// HTML wants a title that says something, and a blank one says nothing.
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

function stylesheet({ foreground, background, css }: MarkedUpCode): string {
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
