import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApi, list, object, type Resource, resource, text } from '../../../index.ts'
import { defineMessages } from '../../messages/catalogue.ts'
import type { LanguageOptions } from './languages.ts'

const shopMessages = defineMessages({ overlap: 'The dates overlap with {other}.' })

const refuse = (options: LanguageOptions, message: string) =>
  assert.throws(() => createApi(options), { message: `createApi(): ${message}` })

test('a message that does not exist is an error at start, with the nearest name', () => {
  refuse({ messages: { requird: 'x' } }, 'messages: there is no message "requird": write "required"')
  refuse(
    { languages: { de: { 'invalid.intger': 'x' } } },
    'languages.de: there is no message "invalid.intger": write "invalid.integer"',
  )
  refuse(
    { messages: { shop_is_closed_today: 'x' } },
    'messages: there is no message "shop_is_closed_today": declare it with defineMessages(), in a catalogue of the API',
  )
  refuse(
    { messages: { zod: 'x' } },
    'messages: there is no message "zod": declare it with defineMessages(), in a catalogue of the API',
  )
  createApi({ catalogues: [shopMessages], messages: { overlap: 'Overlap: {other}' } })
})

test('a placeholder that the message does not have is an error at start', () => {
  refuse(
    { messages: { max_value: 'At most {maximum}.' } },
    'messages: "max_value": the message "max_value" has no value {maximum}: its values are {max}',
  )
  refuse(
    { languages: { de: { required: 'Das Feld {name} fehlt.' } } },
    'languages.de: "required": the message "required" has no value {name}: remove it',
  )
  refuse(
    { messages: { invalid: 'Not a {type}.' } },
    'messages: "invalid": the message "invalid" has no value {type}: remove it',
  )
  refuse(
    { messages: { does_not_exist: 'No {value}.' } },
    'messages: "does_not_exist": the message "does_not_exist.url" has no value {value}: remove it, or give "does_not_exist.url" a text too',
  )
  createApi({ messages: { max_length: 'At most {max}.', 'invalid.object': 'Not a {type}.' } })
})

test('a language needs a language tag other than English', () => {
  refuse(
    { languages: { german_: {} } },
    'languages: "german_" is not a language tag: write one such as "de" or "pt-BR"',
  )
  refuse({ languages: { '': {} } }, 'languages: "" is not a language tag: write one such as "de" or "pt-BR"')
  refuse({ languages: { EN: {} } }, 'languages: the English texts belong to the option "messages"')
})

test('two catalogues cannot have different messages with one key', () => {
  const others = defineMessages({ required: 'Wanted.' })
  refuse({ catalogues: [others] }, 'catalogues: two messages have the key "required": rename one')
  createApi({ catalogues: [shopMessages, shopMessages] })
})

test('a field that replaces a message that does not exist is an error at start', () => {
  const misspelt = text({ messages: { requird: 'x' } as object })
  const declare = (field: Resource['fields'][string]) => () =>
    resource('books', { table: 'books', fields: { title: field } })
  const message = 'resource "books": field "title": messages: there is no message "requird": write "required"'
  assert.throws(declare(misspelt), { message })
  assert.throws(declare(text({ messages: { shop_is_closed_today: 'x' } as object })), {
    message:
      'resource "books": field "title": messages: there is no message "shop_is_closed_today": docs/languages.md in the package resource-api lists the messages',
  })
  assert.throws(declare(list({ of: misspelt })), { message })
  assert.throws(declare(object({ fields: { part: misspelt } })), { message })
})
