import { isIPv4 } from 'node:net'
import { invalid } from '../../errors/invalid.ts'
import type { FieldOf } from '../define-field.ts'
import type { FieldDefinition } from '../field.ts'
import type { KnownOptions } from '../field-types.ts'
import type { FieldKind } from './kind.ts'
import { describeText, parseText, type TextOptions, text, textKind } from './text.ts'

const maxLength = 2048
const maxHostLength = 253

// Rejects errors that URL.parse would correct, such as a missing slash or a backslash.
const shape =
  /^(?:https?|ftps?):\/\/(?:[^\s:@/?#\\]+(?::[^\s:@/?#\\]*)?@)?([^\s:@/?#\\%[\]]+|\[[^\s\]]+\])(?::\d{1,5})?(?:[/?#]\S*)?$/i

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const lastLabel = '(?:[a-z][a-z-]{0,61}[a-z]|xn--[a-z0-9-]{0,58}[a-z0-9])'
const domain = new RegExp(`^(?:localhost|(?:${label}\\.)+${lastLabel}\\.?)$`)

export const urlKind = Object.freeze<FieldKind>({
  ...textKind,
  name: 'url',
  schema: { type: 'string', format: 'uri' },
  isFreeText: false,
  input: 'url',
  shown: 'url',
  example: undefined,
})

/**
 * An absolute URL with the scheme `http`, `https`, `ftp` or `ftps`. The host is a domain of at least two labels,
 * `localhost` or an IP address. At most 2048 characters, stored unchanged.
 */
export function url<const Options extends Omit<TextOptions, 'pattern'> = Omit<TextOptions, 'pattern'>>(
  options: KnownOptions<Options, Omit<TextOptions, 'pattern'>> = {} as never,
): FieldOf<string, Options> {
  const field: FieldDefinition<string> = text<TextOptions>(options)
  return Object.freeze({
    ...field,
    ...describeText({ max: maxLength, ...options }, 'uri'),
    kind: urlKind,
    parse(input: unknown) {
      const value = parseText(input, options)
      if (value !== '' && !isUrl(value)) throw invalid('invalid.url')
      return value
    },
  })
}

function isUrl(text: string): boolean {
  const [, host] = (text.length <= maxLength && shape.exec(text)) || []
  // URL.parse does not parse the host of an `ftps` URL, so the scheme is replaced.
  const parsed = host === undefined ? null : URL.parse(text.replace(/^ftps/i, 'https'))
  return parsed !== null && isHost(parsed.hostname, host!)
}

// `parsed` is `input` in ASCII and in lower case. URL.parse also accepts other notations of IPv4 addresses, such as
// `127.1`, and converts them; these are rejected.
function isHost(parsed: string, input: string): boolean {
  if (isIPv4(parsed)) return parsed === input
  return parsed.startsWith('[') || (parsed.length <= maxHostLength && domain.test(parsed))
}
