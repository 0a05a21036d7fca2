// The words of a page in the caller's language.

import type { FastifyRequest } from 'fastify'
import {
  compileText,
  defaultLanguage,
  type Field,
  formatLabel,
  type HeaderFields,
  type MessageText,
  type MessageValues,
  type NamedResource,
  nameList,
  nameOne,
  readEnglish,
  type Translation,
  type View,
} from '#core'
import { type PageKey, pageMessages } from '../messages/page-messages.ts'

/** Returns a text of the pages, with its values inserted. The result is text, which HTML must escape. */
export interface Words {
  (key: PageKey, values?: MessageValues): string
  /** The language tag of the texts. */
  readonly language: string
  /** Whether `Accept-Language` chooses the texts. */
  readonly isChosen: boolean
  /** The text of a declaration in this language. */
  readonly text: (text: MessageText) => string
  /** The label of a field. */
  readonly label: (name: string, field: Partial<Pick<Field, 'label'>>) => string
  /** The name of a resource's list, such as `Order items`. */
  readonly list: (resource: NamedResource) => string
  /** The name of one object of a resource, such as `Order item`. */
  readonly one: (resource: NamedResource) => string
}

const wordsOfTranslations = new WeakMap<Translation, Words>()

/** Creates the words of a page in the language that the request prefers. */
export function createWords(
  { findTranslation }: Pick<View, 'findTranslation'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Words {
  if (findTranslation === undefined) return english
  const translation = findTranslation(headers['accept-language'])
  const cachedWords = wordsOfTranslations.get(translation) ?? createTranslatedWords(translation)
  wordsOfTranslations.set(translation, cachedWords)
  return cachedWords
}

function createTranslatedWords(translation: Translation): Words {
  // A language without the words of pages leaves them English.
  const isTranslated = translation.find(pageMessages('page.skip')) !== undefined
  return createWordsWith(
    text => (typeof text === 'string' ? text : (translation.find(text) ?? text.message)),
    isTranslated ? (translation.language ?? defaultLanguage) : defaultLanguage,
    translation.language !== undefined,
  )
}

function createWordsWith(format: (text: MessageText) => string, language: string, isChosen: boolean): Words {
  const texts = new Map(
    Object.keys(pageMessages.texts).map(key => [key, format(pageMessages(key as 'page.skip'))] as const),
  )
  const formatters = new Map(Array.from(texts, ([key, text]) => [key, compileText(text)] as const))
  const find = (key: PageKey, values?: MessageValues): string =>
    values === undefined ? texts.get(key)! : formatters.get(key)!(values)
  return Object.freeze(
    Object.assign(find, {
      language,
      isChosen,
      text: format,
      label: (name: string, field: Partial<Pick<Field, 'label'>>) => format(formatLabel(name, field)),
      list: (resource: NamedResource) => format(nameList(resource)),
      one: (resource: NamedResource) => format(nameOne(resource)),
    }),
  )
}

const english = createWordsWith(readEnglish, defaultLanguage, false)

/** The header fields of a page whose words depend on `Accept-Language`; `headers`: the fields that it has already. */
export function describeLanguage({ isChosen, language }: Words, { vary = '' }: HeaderFields): HeaderFields {
  if (!isChosen) return {}
  const names = String(vary)
  const varies = /(?:^|, )Accept-Language(?:,|$)/i.test(names)
  return { 'content-language': language, vary: varies ? names : [names, 'Accept-Language'].filter(Boolean).join(', ') }
}
