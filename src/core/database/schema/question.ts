// What the difference between two states does not say: the names that the same data has now, and the data that may be lost.

import type { DefaultValue } from './schema-state.ts'

/** What a person has decided. Names are those of tables, or `table.column`. */
export interface Answers {
  /** Former names with the new ones. */
  readonly renames: ReadonlyMap<string, string>
  /** The tables and columns whose data may be lost. */
  readonly drops: ReadonlySet<string>
  /** The values of the rows that exist; null: the rows have values already. */
  readonly fills: ReadonlyMap<string, DefaultValue | null>
  /** The values of the rows that exist, for columns without an answer. */
  readonly defaults?: Readonly<Record<string, DefaultValue>> | undefined
}

export const noAnswers: Answers = Object.freeze({ renames: new Map(), drops: new Set<string>(), fills: new Map() })

/** One of the answers to a question. */
export type Answer =
  | { readonly rename: string; readonly to: string }
  | { readonly drop: string }
  /** Needs a value, unless `isOptional`. */
  | { readonly fill: string; readonly isOptional: boolean }

export interface Question {
  readonly problem: string
  /** The flag of each is the answer. */
  readonly answers: readonly Answer[]
  /** What else solves the problem. */
  readonly advice?: string
}

/** An answer that fits nothing, or fits no longer. The message names it. */
export class WrongAnswer extends Error {
  override name = 'WrongAnswer'
}

/** A sentence with the flags that answer the question. */
export function formatQuestion({ problem, answers, advice }: Question): string {
  const flags = answers.map(formatAnswer)
  const choices = [...flags, ...(advice === undefined ? [] : [advice])]
  const listed = choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(', ')}, or ${choices.at(-1)}`
  return flags.length > 1 ? `${problem}. Say which: ${listed}` : `${problem}: ${listed}`
}

function formatAnswer(answer: Answer): string {
  if ('rename' in answer) return `--rename ${answer.rename}=${answer.to}`
  if ('drop' in answer) return `--drop ${answer.drop}`
  return answer.isOptional ? `--fill ${answer.fill} if no row contains null` : `--fill ${answer.fill}=<value>`
}
