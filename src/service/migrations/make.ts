// The command `migrations make`: writes the step that leads from the earlier steps to the declared tables.

import {
  type Answers,
  type Change,
  describeChanges,
  findChanges,
  formatQuestion,
  listUsedSteps,
  nameStep,
  replaySteps,
  type SchemaState,
} from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { type AnswerFlags, readAnswers } from './answer-flags.ts'
import { answerQuestion, type Prompt } from './ask.ts'
import { type NewStep, writeStep } from './new-step.ts'
import { type DeclaredOwner, findEnd, findOwner, findStepFolder } from './owners.ts'

export interface MakeOptions extends AnswerFlags {
  /** Default: all owners. */
  readonly owner?: string
  /** The name of the step after its number; default: derived from the changes. */
  readonly name?: string
  /** True: earlier steps, which are functions, have made the changes. The new step only says so, and is never run. */
  readonly existing?: boolean
}

export interface Made {
  /** The files that were written; none if there are questions. */
  readonly steps: readonly NewStep[]
  /** The open questions, with the flags that answer them. */
  readonly questions: readonly string[]
}

/**
 * Writes a step for each owner whose tables differ from its steps. Without a terminal to ask at (`prompt`), it writes nothing if
 * questions are open. Throws CommandError or WrongAnswer for a flag that does not fit.
 */
export async function makeSteps(
  owners: readonly DeclaredOwner[],
  options: MakeOptions,
  prompt: Prompt | undefined,
): Promise<Made> {
  const { owner: only, name, existing = false } = options
  if (name !== undefined && !/^[A-Za-z0-9_-]+$/.test(name))
    throw new CommandError(`--name ${name}: write letters, digits, "_" and "-"`)
  const chosen = only === undefined ? owners : [findOwner(owners, only)]
  const declared = chosen.filter(({ state }) => state !== undefined)
  if (declared.length === 0) throw new CommandError('there are no declared tables')
  const answers = readAnswers(declared, options)
  const found: Found[] = []
  for (const owner of declared) found.push(await findStep(owner, answers.get(owner)!, prompt))
  const questions = found.flatMap(each => each.questions)
  const changed = questions.length > 0 ? [] : found.filter(({ changes }) => changes.length > 0)
  // All folders are known before one file is written.
  for (const { owner } of changed) findStepFolder(owner)
  return { questions, steps: changed.map(step => write(step, owners, { label: name, exists: existing })) }
}

interface Found {
  readonly owner: DeclaredOwner
  readonly from: SchemaState
  readonly changes: readonly Change[]
  readonly questions: readonly string[]
  /** Whether a person answered questions. */
  readonly wasAsked: boolean
}

async function findStep(owner: DeclaredOwner, given: Answers, prompt: Prompt | undefined): Promise<Found> {
  findEnd(owner)
  const from = replaySteps(owner.steps)
  const to = owner.state!
  let answers = given
  let found = findChanges(from, to, answers)
  while (prompt !== undefined && found.questions.length > 0) {
    answers = await answerQuestion(found.questions[0]!, answers, to, prompt)
    found = findChanges(from, to, answers)
  }
  const { changes, questions } = found
  return { owner, from, changes, questions: questions.map(formatQuestion), wasAsked: answers !== given }
}

function write(
  { owner, from, changes, wasAsked }: Found,
  owners: readonly DeclaredOwner[],
  { label, exists }: { readonly label: string | undefined; readonly exists: boolean },
): NewStep {
  const end = findEnd(owner)
  const name = nameStep(Object.keys(owner.steps), changes, label)
  const after = end === undefined ? {} : { after: [end] }
  const uses = exists
    ? []
    : listUsedSteps(
        changes,
        owners.filter(each => each !== owner),
      )
  const path = writeStep(owner, name, { ...after, uses, [exists ? 'state' : 'change']: changes })
  const lines = describe(from, changes, wasAsked)
  if (exists) return { path, lines: [...lines, 'No database runs this: earlier steps have done it.'] }
  return { path, lines: [...lines, ...adviseExisting(owner)] }
}

// The step would create tables that a database has already.
function adviseExisting({ steps }: DeclaredOwner): readonly string[] {
  const isFirst = Object.values(steps).every(step => typeof step === 'function')
  if (!isFirst || Object.keys(steps).length === 0) return []
  return ['The earlier steps are functions. If they have made these tables, delete this file, and run make --existing.']
}

const describe = (from: SchemaState, changes: readonly Change[], wasAsked: boolean): readonly string[] =>
  describeChanges(from, changes).map((line, index) => {
    const change = changes[index] ?? {}
    const isAnswer = ['renameTable', 'renameColumn', 'dropTable', 'dropColumn'].some(name => name in change)
    return wasAsked && isAnswer ? `${line}      (you answered)` : line
  })
