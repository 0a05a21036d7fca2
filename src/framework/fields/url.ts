import { isIPv4 } from 'node:net'
import { type Field, invalid } from './field.ts'
import { parseText, type TextOptions, text } from './text.ts'

const longest = 2048
const longestHost = 253

// What the platform's parser would mend, such as a missing slash or a backslash, is no URL here.
const shape =
  /^(?:https?|ftps?):\/\/(?:[^\s:@/?#\\]+(?::[^\s:@/?#\\]*)?@)?([^\s:@/?#\\%[\]]+|\[[^\s\]]+\])(?::\d{1,5})?(?:[/?#]\S*)?$/i

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const lastLabel = '(?:[a-z][a-z-]{0,61}[a-z]|xn--[a-z0-9-]{0,58}[a-z0-9])'
const domain = new RegExp(`^(?:localhost|(?:${label}\\.)+${lastLabel}\\.?)$`)

/**
 * An absolute URL of `http`, `https`, `ftp` or `ftps`, to a domain of two labels or more, `localhost` or an IP address;
 * at most 2048 characters, kept as given.
 */
export function url(options: Omit<TextOptions, 'pattern'> = {}): Field<string> {
  return Object.freeze({
    ...text(options),
    type: 'url' as const,
    parse(input: unknown) {
      const value = parseText(input, options)
      if (value !== '' && !isUrl(value)) throw invalid('Enter a valid URL.')
      return value
    },
  })
}

function isUrl(text: string): boolean {
  const [, host] = (text.length <= longest && shape.exec(text)) || []
  // The parser knows the hosts of `ftps` only under another scheme.
  const parsed = host === undefined ? null : URL.parse(text.replace(/^ftps/i, 'https'))
  return parsed !== null && isHost(parsed.hostname, host!)
}

// `parsed` is in ASCII and in lower case; of an IPv4 address, that is all that may differ from what was given.
function isHost(parsed: string, given: string): boolean {
  if (isIPv4(parsed)) return parsed === given
  return parsed.startsWith('[') || (parsed.length <= longestHost && domain.test(parsed))
}
