import { frameworkMessages } from '../../messages/english.ts'
import type { FieldOf } from '../define-field.ts'
import type { FieldDefinition } from '../field.ts'
import type { KnownOptions } from '../field-types.ts'
import type { FieldKind } from './kind.ts'
import { describeText, type TextOptions, text, textKind } from './text.ts'

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const address = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`, 'u')

const emailKind = Object.freeze<FieldKind>({
  ...textKind,
  name: 'email',
  schema: { type: 'string', format: 'email' },
  isFreeText: false,
  input: 'email',
  shown: 'email',
  example: 'ada@example.com',
})

/** An e-mail address: a dot-atom, and a domain of at least two labels (RFC 5321 §4.1.2). */
export function email<const Options extends Omit<TextOptions, 'pattern'> = Omit<TextOptions, 'pattern'>>(
  options: KnownOptions<Options, Omit<TextOptions, 'pattern'>> = {} as never,
): FieldOf<string, Options> {
  const pattern = { test: address, message: frameworkMessages('invalid.email') }
  const field: FieldDefinition<string> = text<TextOptions>({ ...options, pattern })
  return Object.freeze({ ...field, ...describeText(options, 'email'), kind: emailKind })
}
