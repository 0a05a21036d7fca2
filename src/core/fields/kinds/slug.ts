import { frameworkMessages } from '../../messages/english.ts'
import type { FieldOf } from '../define-field.ts'
import type { FieldDefinition } from '../field.ts'
import type { KnownOptions } from '../field-types.ts'
import type { FieldKind } from './kind.ts'
import { type TextOptions, text, textKind } from './text.ts'

const pattern = {
  test: /^[A-Za-z0-9_-]+$/,
  message: frameworkMessages('invalid.slug'),
}

const slugKind = Object.freeze<FieldKind>({
  ...textKind,
  name: 'slug',
  identifier: { type: 'string', isUrlSafe: true },
  isFreeText: false,
})

/** A short name for URLs: ASCII letters, digits, `_` and `-`. */
export function slug<const Options extends Omit<TextOptions, 'pattern'> = Omit<TextOptions, 'pattern'>>(
  options: KnownOptions<Options, Omit<TextOptions, 'pattern'>> = {} as never,
): FieldOf<string, Options> {
  const field: FieldDefinition<string> = text<TextOptions>({ ...options, pattern })
  return Object.freeze({ ...field, kind: slugKind })
}
