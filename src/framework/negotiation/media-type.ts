// Media types and media ranges as they stand in Content-Type and Accept (RFC 9110 §8.3.1, §12.5.1).

/** `type/subtype; name=value`, lower case but for the values. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const essence = new RegExp(`^(${token})/(${token})[ \\t]*`)
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?`, 'y')

/** One media type or range; undefined for text that is none. */
export function parseMediaType(text: string): MediaType | undefined {
  const trimmed = text.trim()
  const match = essence.exec(trimmed)
  if (match === null) return undefined
  const parameters = parseParameters(trimmed, match[0].length)
  return parameters && { type: match[1]!.toLowerCase(), subtype: match[2]!.toLowerCase(), parameters }
}

/** The members of a comma-separated header value; commas inside quotes do not separate. */
export function splitList(value: string): readonly string[] {
  return (value.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map(member => member.trim()).filter(Boolean)
}

function parseParameters(text: string, start: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  let at = start
  while (at < text.length) {
    parameter.lastIndex = at
    const match = parameter.exec(text)
    if (match === null) return undefined
    const [whole, name, value, quoted] = match
    if (name !== undefined) parameters.set(name.toLowerCase(), value ?? quoted!.replace(/\\(.)/g, '$1'))
    at += whole.length
  }
  return parameters
}
