// The texts of an API: its own English ones, and those of its further languages. The caller's Accept-Language chooses
// the language of the errors in a response.

import type { $ZodErrorMap } from 'zod/v4/core'
import { memoize } from '../../base/bounded-map.ts'
import {
  type ErrorDetail,
  findText,
  formatText,
  type MessageCatalogue,
  readCode,
  type Texts,
} from '../../messages/catalogue.ts'
import type { MessageCode, MessageKey, Messages } from '../../messages/english.ts'
import { defaultLanguage, findLanguage } from './accept-language.ts'
import { translateIssue } from './zod-issue.ts'

/** A locale of Zod, such as `z.locales.de()`. */
export interface ZodLocale {
  readonly localeError: $ZodErrorMap
}

type FrameworkOverrides = { readonly [Key in MessageCode | MessageKey]?: string }

/** Texts by code or by a finer key, of the framework or of a catalogue; they may contain the English placeholders. */
export type MessageOverrides = FrameworkOverrides & { readonly [key: string]: string | undefined }

/** The messages of one language. English is used for missing ones. */
export type LanguageMessages = FrameworkOverrides & {
  /** Makes the texts of Zod schemas; default: Zod's own, in English. */
  readonly zod?: ZodLocale
} & { readonly [key: string]: string | ZodLocale | undefined }

/** All messages of the framework in one language, and Zod's locale. */
export type Language = Messages & { readonly zod?: ZodLocale }

export interface LanguageOptions {
  /** Replaces English texts, by code or by a finer key: `{ required: 'Fill in this field.' }`. */
  readonly messages?: MessageOverrides
  /**
   * Further languages by language tag: `{ de: german }`. `Accept-Language` chooses among them and English (RFC 9110
   * §12.5.4). The texts of errors and the words of HTML pages are translated.
   */
  readonly languages?: Readonly<Record<string, LanguageMessages>>
  /** Messages besides those of the framework, whose keys `messages` and `languages` may contain. */
  // biome-ignore lint/suspicious/noExplicitAny: a catalogue of any keys.
  readonly catalogues?: readonly MessageCatalogue<any>[]
}

/** The texts for one caller. */
export interface Translation {
  /** The language tag; undefined if the API has only English. */
  readonly language: string | undefined
  /** The language that the request prefers; undefined if it prefers none of the API. */
  readonly preferred?: string
  /** The text in this language; undefined if it has none. */
  find(detail: ErrorDetail): string | undefined
}

/** Finds the texts for an Accept-Language value. */
export type FindTranslation = (acceptLanguage: string | undefined) => Translation

/** Creates the function that finds the texts of a response; undefined if an API has only the default texts. */
export function createFindTranslation({ messages, languages = {} }: LanguageOptions): FindTranslation | undefined {
  const tags = Object.keys(languages)
  if (messages === undefined && tags.length === 0) return undefined
  const english = createTranslation(tags.length === 0 ? undefined : defaultLanguage, messages ?? {})
  if (tags.length === 0) return () => english
  const translations = new Map([
    [defaultLanguage, { ...english, preferred: defaultLanguage }],
    ...tags.map(tag => [tag, { ...createTranslation(tag, languages[tag]!), preferred: tag }] as const),
  ])
  const available = new Map(tags.map(tag => [tag.toLowerCase(), tag]))
  const find = memoize(header => translations.get(findLanguage(header, available) ?? '') ?? english, {
    maxEntries: 100,
    maxLength: 300,
  })
  return header => (header === undefined ? english : find(header))
}

function createTranslation(language: string | undefined, { zod, ...messages }: LanguageMessages): Translation {
  const texts = messages as Texts
  function find({ key, values, issue }: ErrorDetail): string | undefined {
    if (issue !== undefined) return translateIssue(issue, zod)
    if (key === undefined) return undefined
    const text = findText(texts, [key, readCode(key)])
    return text === undefined ? undefined : formatText(text, values, value => find(value) ?? value.message)
  }
  return { language, find }
}
