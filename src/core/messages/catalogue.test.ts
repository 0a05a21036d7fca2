import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, text } from '../../index.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { replaceMessages } from '../errors/field-messages.ts'
import { createFindTranslation } from '../http/languages/languages.ts'
import { defineMessages, formatText } from './catalogue.ts'
import type { Messages } from './english.ts'

const shopMessages = defineMessages({
  overlap: 'The dates overlap with {other}.',
  'invalid.isbn': 'Enter a valid ISBN.',
})

test('ERR-MSG-p1: a message has its English text, its code, its key and its values', () => {
  assert.deepEqual(shopMessages('invalid.isbn'), {
    message: 'Enter a valid ISBN.',
    code: 'invalid',
    key: 'invalid.isbn',
  })
  assert.deepEqual(shopMessages('overlap', { other: 'May 2' }), {
    message: 'The dates overlap with May 2.',
    code: 'overlap',
    key: 'overlap',
    values: { other: 'May 2' },
  })
  const error = new ValidationError({ isbn: shopMessages('invalid.isbn') })
  assert.deepEqual(error.fullDetails, { isbn: [{ message: 'Enter a valid ISBN.', code: 'invalid' }] })
})

test('placeholders without a value stay, and values are not searched for placeholders', () => {
  assert.equal(formatText('{a} {b} {a} {toString}', { a: '{b} $&', b: 2 }), '{b} $& 2 {b} $& {toString}')
})

test('a name that every object inherits finds no text, unless it is declared', () => {
  const error = new ValidationError('No such part.', 'constructor')
  assert.deepEqual(replaceMessages(error.errors, { required: 'Give a part.' }), error.errors)
  const parts = defineMessages({ constructor: 'No such part.' })
  const find = createFindTranslation({ catalogues: [parts], languages: { de: {}, fr: { constructor: 'Aucune.' } } })!
  assert.equal(find('de').find(parts('constructor')), undefined)
  assert.equal(find('fr').find(parts('constructor')), 'Aucune.')
})

test('the compiler checks keys, values and complete languages', () => {
  // @ts-expect-error: this key is misspelt
  shopMessages.texts.overlaps satisfies undefined
  // @ts-expect-error: the value of {other} is missing
  const withoutValue = () => shopMessages('overlap')
  // @ts-expect-error: the value has another name
  const wrongValue = () => shopMessages('overlap', { another: 'May 2' })
  // @ts-expect-error: all messages but one are missing
  const incomplete: Messages = { required: 'Ce champ est obligatoire.' }
  assert.deepEqual([withoutValue, wrongValue, incomplete].length, 3)
})

test('the compiler knows the messages that a field may replace', () => {
  text({ messages: { required: 'Give a title.', max_length: 'At most {max}.', 'invalid.string': 'Not a text.' } })
  integer({ messages: { invalid: shopMessages('invalid.isbn') } })
  // @ts-expect-error: this code is misspelt
  text({ messages: { requird: 'Give a title.' } })
})
