// Messages for people, by key (ERR-MSG). A key is an error code such as `max_length`, or a code with a detail, such as
// `max_length.list`, where one code has several texts. A text may contain named placeholders, such as `{max}`. The
// English text is part of the error; other languages find their text by the key (decision 057).

/** The values of a message's placeholders, by name. */
export type MessageValues = Readonly<Record<string, MessageValue>>

/** A value of a placeholder; a message is translated as well. */
export type MessageValue = string | number | ErrorDetail

/** One error: a text for people and a code for programs. */
export interface ErrorDetail {
  readonly message: string
  readonly code: string
  /** The key of the message; undefined for a text that is shown unchanged in every language. */
  readonly key?: string
  readonly values?: MessageValues
  /** The issue of a Zod schema whose text is Zod's own; Zod's locale of another language makes its text. */
  readonly issue?: object
}

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>

/** The part of a key that is the error's code. */
export type CodeOf<Key extends string> = Key extends `${infer Code}.${string}` ? Code : Key

type PlaceholderNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderNames<Rest>
  : never

/** The argument with the values of a text; none for a text without placeholders. */
export type MessageArguments<Text extends string> = [PlaceholderNames<Text>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholderNames<Text>, MessageValue>>]

/** Creates the error with the English text of a key. */
export interface MessageCatalogue<in out T extends Texts = Texts> {
  <Key extends keyof T & string>(key: Key, ...values: MessageArguments<T[Key]>): ErrorDetail
  /** The English texts. */
  readonly texts: T
}

/** The texts of a catalogue in another language: one for each key. */
export type TranslationOf<Catalogue extends { readonly texts: Texts }> = Readonly<
  Record<keyof Catalogue['texts'] & string, string>
>

/**
 * Declares messages by key, with their English texts. The result creates the error of a key; the compiler checks the key
 * and its values.
 *
 * @example
 * const shopMessages = defineMessages({ overlap: 'The dates overlap with {other}.' })
 * throw new ValidationError(shopMessages('overlap', { other: 'May 2' })) // code: overlap
 */
export function defineMessages<const T extends Texts>(texts: T): MessageCatalogue<T> {
  const fixed = new Map(Object.entries(texts).map(([key, text]) => [key, createDetail(key, text)]))
  const create = (key: string, values?: MessageValues): ErrorDetail => {
    const detail = fixed.get(key)!
    return values === undefined ? detail : { ...detail, message: formatText(detail.message, values), values }
  }
  return Object.freeze(Object.assign(create, { texts })) as MessageCatalogue<T>
}

const createDetail = (key: string, message: string): ErrorDetail => Object.freeze({ message, code: readCode(key), key })

/** The code of a message's key. */
export const readCode = (key: string): string => key.split('.', 1)[0]!

/** The text of the first of these names that has one; `constructor` and the like have none unless they are declared. */
export function findText<Text>(
  texts: Readonly<Record<string, Text>>,
  names: readonly (string | undefined)[],
): Text | undefined {
  const found = names.find(name => name !== undefined && Object.hasOwn(texts, name))
  return found === undefined ? undefined : texts[found]
}

const placeholder = /\{(\w+)\}/g

type FormatMessage = (message: ErrorDetail) => string

const readMessage: FormatMessage = ({ message }) => message

/** Replaces the placeholders of a text; those without a value stay as they are. `format`: the text of a value that is a message. */
export const formatText = (text: string, values: MessageValues = {}, format: FormatMessage = readMessage): string =>
  compileText(text)(values, format)

/** Creates the function that replaces the placeholders of a text. */
export function compileText(text: string): (values: MessageValues, format?: FormatMessage) => string {
  const [start, ...parts] = text.split(placeholder)
  return (values, format = readMessage) => {
    let formatted = start!
    for (let index = 0; index < parts.length; index += 2) {
      const name = parts[index]!
      const value = Object.hasOwn(values, name) ? values[name]! : `{${name}}`
      formatted += typeof value === 'object' ? format(value) : value
      formatted += parts[index + 1]!
    }
    return formatted
  }
}

/** The names of a text's placeholders. */
export const listPlaceholders = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(placeholder), ([, name]) => name!)),
]
