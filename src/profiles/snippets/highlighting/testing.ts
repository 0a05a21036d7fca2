import type { SnippetSource } from './document.ts'

/** A snippet that says only what a test is about. */
export function snippetOf(parts: Partial<SnippetSource>): SnippetSource {
  return { code: 'print(1)', language: 'python', style: 'friendly', linenos: false, title: '', ...parts }
}

/** The code a reader of the page sees, and would copy. */
export function codeIn(page: string): string {
  const [, inside = ''] = /<code>(.*)\n<\/code>/s.exec(page) ?? []
  const text = inside.replace(/<[^>]*>/g, '')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** The numbers in the first cell of the page's table. */
export function numbersIn(page: string): string[] {
  const [, inside] = /<td class="linenos"[^>]*><pre>([^<]*)<\/pre>/.exec(page) ?? []
  return inside?.split('\n') ?? []
}
