// Asks at the terminal what the differences between tables do not say.

import { createInterface } from 'node:readline'
import type { Answer, Answers, DefaultValue, Question, SchemaState } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { findType, parseValue } from './answer-flags.ts'

/** Reads a line after a prompt. */
export type Prompt = (text: string) => Promise<string>

/** Reads at a terminal. Rejects with CommandError if the person leaves with Ctrl+C or Ctrl+D. */
export const promptAt =
  (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompt =>
  text =>
    new Promise((resolve, reject) => {
      const reader = createInterface({ input, output })
      reader.once('close', () => reject(new CommandError('canceled: nothing was written')))
      reader.question(text, answer => {
        resolve(answer)
        reader.close()
      })
    })

/** Adds the answer to the question, which has no default: a wrong answer may lose data. `to`: the declared tables. */
export async function answerQuestion(
  { problem, answers: choices, advice }: Question,
  answers: Answers,
  to: SchemaState,
  prompt: Prompt,
): Promise<Answers> {
  const [first, second] = choices
  if (first !== undefined && 'fill' in first && second === undefined) {
    const fill = await askForValue(`${problem}.`, first.fill, to, prompt)
    return { ...answers, fills: new Map([...answers.fills, [first.fill, fill]]) }
  }
  const lines = choices.map((choice, index) => `  ${index + 1}  ${formatChoice(choice)}`)
  const end = advice === undefined ? '' : `\n  or leave with Ctrl+C, and ${advice}`
  const text = `${problem}.\n${lines.join('\n')}${end}\nWhich? `
  const choice = await askUntilValid(text, answer => parseChoice(answer, choices), prompt)
  if ('rename' in choice) return { ...answers, renames: new Map([...answers.renames, [choice.rename, choice.to]]) }
  if ('drop' in choice) return { ...answers, drops: new Set([...answers.drops, choice.drop]) }
  const value = choice.isOptional ? null : await askForValue('', choice.fill, to, prompt)
  return { ...answers, fills: new Map([...answers.fills, [choice.fill, value]]) }
}

function formatChoice(choice: Answer): string {
  if ('rename' in choice) return `${choice.rename} was renamed to ${choice.to}`
  if ('drop' in choice) return `drop ${choice.drop}, and lose its data`
  return choice.isOptional ? 'no row contains null' : 'give a value'
}

function parseChoice(answer: string, choices: readonly Answer[]): Answer {
  const choice = choices[Number(answer) - 1]
  if (choice !== undefined) return choice
  throw new CommandError(`An answer is needed: ${choices.map((_, index) => index + 1).join(' or ')}`)
}

const askForValue = (problem: string, name: string, to: SchemaState, prompt: Prompt): Promise<DefaultValue> =>
  askUntilValid(`${problem}${problem && '\n'}The value of ${name}: `, text => parseText(text, name, to), prompt)

// Enter alone is more often a mistake than an empty text.
function parseText(text: string, name: string, to: SchemaState): DefaultValue {
  if (text === '') throw new CommandError('A value is needed; for an empty text, write ""')
  return parseValue(text === '""' ? '' : text, findType(to, name), name)
}

/** Asks again, with the reason and the last line of the question, as long as an answer is not valid. */
async function askUntilValid<Value>(text: string, parse: (answer: string) => Value, prompt: Prompt): Promise<Value> {
  const last = text.slice(text.lastIndexOf('\n') + 1)
  let question = text
  while (true) {
    const answer = await prompt(question)
    try {
      return parse(answer)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      question = `${error.message}.\n${last}`
    }
  }
}
