// The values that a choice allows, and their labels.

import type { JsonSchema } from '../../describe/json-schema.ts'
import { type MessageText, readEnglish } from '../../messages/english.ts'

/** The declared choices: values, pairs of a value and its label, or the labels by value. Labels may be messages of a catalogue. */
export type DeclaredChoices<Value extends string | number = string | number> =
  | Iterable<Value | readonly [value: Value, label: MessageText]>
  | Readonly<Record<string, MessageText>>

/** The values that the declared choices allow. */
export type ChoiceOf<Choices extends DeclaredChoices> =
  Choices extends Iterable<infer Item> ? ValueOf<Item> : Extract<keyof Choices, string>

type ValueOf<Item> = Item extends readonly [infer Value, MessageText] ? Value : Item

/** The labels of the allowed values, in the order of the declaration. */
export type Choices = ReadonlyMap<string | number, MessageText>

/**
 * Reads declared choices; a value without a label is its own label. Throws for a value that is declared twice with
 * different labels, and for values that are neither all strings nor all integers. `owner` begins the message.
 */
export function readChoices(declared: DeclaredChoices, owner: string): Choices {
  const choices = new Map<string | number, MessageText>()
  for (const [value, label] of toPairs(declared, owner)) {
    checkChoice(value, label, owner)
    if (choices.has(value) && choices.get(value) !== label)
      throw new Error(`${owner}: the value ${JSON.stringify(value)} has two labels: remove one`)
    choices.set(value, label)
  }
  if (new Set([...choices.keys()].map(value => typeof value)).size > 1)
    throw new Error(`${owner}: the values must be either all strings or all integers`)
  return choices
}

/** Finds the value that is sent as this text, as in a form or a query. */
export const findChoice = (choices: Choices, text: string): string | number | undefined => {
  if (choices.has(text)) return text
  const number = Number(text)
  return String(number) === text && choices.has(number) ? number : undefined
}

/** The label of a value, as text. A stored value may have been removed from the choices; it is its own label. */
export const formatChoice = (choices: Choices, text: string): MessageText =>
  choices.get(findChoice(choices, text) ?? text) ?? text

/** The JSON Schema of the values, with their labels as generators of code read them. */
export function describeChoices(choices: Choices): JsonSchema {
  const values = [...choices.keys()]
  const hasLabels = values.some(value => readEnglish(choices.get(value)!) !== String(value))
  return {
    type: typeof values[0] === 'number' ? 'integer' : 'string',
    enum: values,
    ...(hasLabels && { 'x-enum-descriptions': [...choices.values()] }),
  }
}

type Pair = readonly [value: string | number, label: MessageText]

function toPairs(declared: DeclaredChoices, owner: string): readonly Pair[] {
  if (typeof declared === 'object' && Symbol.iterator in declared)
    return [...(declared as Iterable<string | number | Pair>)].map(item =>
      Array.isArray(item) ? (item as unknown as Pair) : [item as string | number, String(item)],
    )
  const pairs = Object.entries(declared as Readonly<Record<string, MessageText>>)
  const integer = pairs.find(([value]) => /^(?:0|[1-9]\d*)$/.test(value))
  // JavaScript moves such keys to the front, and makes texts of numbers.
  if (integer !== undefined)
    throw new Error(
      `${owner}: an object cannot have the value ${integer[0]}: write pairs, such as [[${integer[0]}, "Label"]]`,
    )
  return pairs
}

function checkChoice(value: unknown, label: unknown, owner: string): void {
  if (typeof value !== 'string' && !Number.isSafeInteger(value))
    throw new Error(`${owner}: the value ${JSON.stringify(value)} must be a string or an integer`)
  if (!isText(label))
    throw new Error(`${owner}: the label of ${JSON.stringify(value)} must be a text that is not empty`)
}

const isText = (label: unknown): boolean =>
  typeof label === 'string' ? label !== '' : typeof Object(label).message === 'string'
