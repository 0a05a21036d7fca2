// The same request from elsewhere: lines to copy.

/** A line for a shell. */
export function curlLine(method: string, url: string): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    '-H',
    quoteShell('Accept: application/json'),
    quoteShell(url),
  ]
  return parts.join(' ')
}

/** A line of TypeScript. */
export function fetchLine(method: string, url: string): string {
  const options = method === 'GET' ? '' : `method: ${quoteScript(method)}, `
  return `const response = await fetch(${quoteScript(url)}, { ${options}headers: { Accept: 'application/json' } })`
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const quoteScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
