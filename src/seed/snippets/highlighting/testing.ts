import type { SnippetSource } from './document.ts'

/** Creates a snippet with default values for everything that a test does not set. */
export function createSnippet(values: Partial<SnippetSource>): SnippetSource {
  return { code: 'print(1)', language: 'python', style: 'friendly', linenos: false, title: '', ...values }
}

/** Returns the code that a reader of the page sees and can copy. */
export function codeIn(page: string): string {
  const [, content = ''] = /<code>(.*)\n<\/code>/s.exec(page) ?? []
  const text = content.replace(/<[^>]*>/g, '')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Returns the line numbers in the first cell of the page's table. */
export function readLineNumbers(page: string): string[] {
  const [, content] = /<td class="linenos"[^>]*><pre>([^<]*)<\/pre>/.exec(page) ?? []
  return content?.split('\n') ?? []
}
