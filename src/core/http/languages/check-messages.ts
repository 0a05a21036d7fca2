// Checks the messages of an API and of fields. A mistake throws at startup; the message says how to fix it.

import { nearestName } from '../../base/nearest-name.ts'
import { listPlaceholders, type MessageCatalogue, readCode, type Texts } from '../../messages/catalogue.ts'
import { defaultLanguage } from './accept-language.ts'
import type { LanguageOptions } from './languages.ts'

/** Throws for the first message or language that does not exist. `own`: the catalogues of the framework. */
export function checkMessages(
  { messages = {}, languages = {}, catalogues = [] }: LanguageOptions,
  own: readonly Pick<MessageCatalogue, 'texts'>[],
): void {
  const texts = joinTexts([...own, ...catalogues].map(catalogue => catalogue.texts))
  checkTexts('createApi(): messages', messages, texts, unknownHint)
  for (const [tag, { zod: _, ...translations }] of Object.entries(languages)) {
    checkTag(tag)
    checkTexts(`createApi(): languages.${tag}`, translations, texts, unknownHint)
  }
}

const unknownHint = 'declare it with defineMessages(), in a catalogue of the API'

function joinTexts(all: readonly Texts[]): Texts {
  const joined: Record<string, string> = {}
  for (const texts of all) {
    const duplicate = Object.keys(texts).find(key => Object.hasOwn(joined, key) && joined[key] !== texts[key])
    if (duplicate !== undefined)
      throw new Error(`createApi(): catalogues: two messages have the key "${duplicate}": rename one`)
    Object.assign(joined, texts)
  }
  return joined
}

function checkTag(tag: string): void {
  if (!isLanguageTag(tag))
    throw new Error(`createApi(): languages: "${tag}" is not a language tag: write one such as "de" or "pt-BR"`)
  if (tag.toLowerCase() === defaultLanguage)
    throw new Error('createApi(): languages: the English texts belong to the option "messages"')
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/**
 * Throws if a text has a key or code that no message has, or a placeholder that one of its messages does not have.
 * `hint` ends the message for a key that resembles no other.
 */
export function checkTexts(where: string, texts: object, english: Texts, hint: string): void {
  const keysByCode = Map.groupBy(Object.keys(english), readCode)
  for (const [name, text] of Object.entries(texts)) {
    const keys = keysByCode.get(name) ?? (Object.hasOwn(english, name) ? [name] : [])
    if (keys.length === 0) {
      const nearest = nearestName(name, [...Object.keys(english), ...keysByCode.keys()])
      throw new Error(`${where}: there is no message "${name}": ${nearest === undefined ? hint : `write "${nearest}"`}`)
    }
    const replaced = keys.filter(key => key === name || !Object.hasOwn(texts, key))
    if (typeof text === 'string') checkPlaceholders(where, { name, text, replaced }, english)
  }
}

interface CheckedText {
  readonly name: string
  readonly text: string
  /** The keys of the messages that the text replaces: several if the name is a code. */
  readonly replaced: readonly string[]
}

// A text may contain only the values that all of its messages have.
function checkPlaceholders(where: string, { name, text, replaced }: CheckedText, english: Texts): void {
  for (const value of listPlaceholders(text)) {
    const key = replaced.find(candidate => !listPlaceholders(english[candidate]!).includes(value))
    if (key === undefined) continue
    const values = listPlaceholders(english[key]!).map(known => `{${known}}`)
    const advice = values.length === 0 ? 'remove it' : `its values are ${values.join(', ')}`
    const otherText = key === name ? '' : `, or give "${key}" a text too`
    throw new Error(`${where}: "${name}": the message "${key}" has no value {${value}}: ${advice}${otherText}`)
  }
}
