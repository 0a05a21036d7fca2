// Checks the messages of an API and of fields. A mistake throws at startup; the message says how to fix it.

import { nearestName } from '../nearest-name.ts'
import { defaultLanguage } from './accept-language.ts'
import { listPlaceholders, readCode, type Texts } from './catalogue.ts'
import { frameworkMessages } from './english.ts'
import type { LanguageOptions } from './languages.ts'

/** Throws for the first message or language that does not exist. */
export function checkMessages({ messages = {}, languages = {}, catalogues = [] }: LanguageOptions): void {
  const texts = joinTexts([frameworkMessages, ...catalogues].map(catalogue => catalogue.texts))
  checkTexts('createApi(): messages', messages, texts)
  for (const [tag, { zod: _, ...translations }] of Object.entries(languages)) {
    checkTag(tag)
    checkTexts(`createApi(): languages.${tag}`, translations, texts)
  }
}

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

/** Throws if a text has a key or code that no message has, or a placeholder that its message does not have. */
export function checkTexts(where: string, texts: object, english: Texts): void {
  const keysByCode = Map.groupBy(Object.keys(english), readCode)
  for (const [name, text] of Object.entries(texts)) {
    const keys = Object.hasOwn(english, name) ? [name] : (keysByCode.get(name) ?? [])
    if (keys.length === 0)
      throw new Error(`${where}: ${formatUnknown(name, [...Object.keys(english), ...keysByCode.keys()])}`)
    if (typeof text === 'string')
      checkPlaceholders(
        `${where}: the message "${name}"`,
        text,
        keys.map(key => english[key]!),
      )
  }
}

function formatUnknown(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  const hint =
    nearest === undefined ? 'declare it with defineMessages(), in a catalogue of the API' : `write "${nearest}"`
  return `there is no message "${name}": ${hint}`
}

function checkPlaceholders(message: string, text: string, english: readonly string[]): void {
  const known = new Set(english.flatMap(listPlaceholders))
  const unknown = listPlaceholders(text).find(name => !known.has(name))
  if (unknown === undefined) return
  const hint = known.size === 0 ? 'remove it' : `its values are ${[...known].map(name => `{${name}}`).join(', ')}`
  throw new Error(`${message} has no value {${unknown}}: ${hint}`)
}
