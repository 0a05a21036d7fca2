// Writes JSON data as YAML 1.2 (RFC 9512), of which JSON is a part: a text that YAML might read as something else is
// written as in JSON.

/** Formats data that JSON can contain. */
export const formatYaml = (data: unknown): string => `${formatNode(data, '').trimStart()}\n`

// The text after a key or a dash: a scalar on the same line, or lines with this indentation.
function formatNode(node: unknown, indent: string): string {
  if (Array.isArray(node)) {
    if (node.length === 0) return ' []'
    return node.map(item => `\n${indent}-${formatItem(item, `${indent}  `)}`).join('')
  }
  if (typeof node !== 'object' || node === null) return ` ${formatScalar(node)}`
  const entries = Object.entries(node).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return ' {}'
  return entries.map(([key, value]) => `\n${indent}${formatText(key)}:${formatNode(value, `${indent}  `)}`).join('')
}

// The first key of an object stands behind the dash.
function formatItem(item: unknown, indent: string): string {
  const text = formatNode(item, indent)
  return text.startsWith('\n') ? ` ${text.slice(1 + indent.length)}` : text
}

const formatScalar = (value: unknown): string => (typeof value === 'string' ? formatText(value) : JSON.stringify(value))

const formatText = (text: string): string => (isPlain(text) ? text : JSON.stringify(text))

const isPlain = (text: string): boolean =>
  /^[A-Za-z_/$][\w/{}.$-]*(?: [\w/{}.-]+)*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text)
