// Asks at the terminal what the differences between tables do not say.

import { read } from 'read'
import type { Answer, Answers, DefaultValue, Question, SchemaState } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { findType, parseValue } from './answer-flags.ts'

/** Reads a line after a prompt. */
export type Prompt = (text: string) => Promise<string>

export const promptAtTerminal: Prompt = text => read({ prompt: text, output: process.stderr })

/** Adds the answer to the question. `to`: the declared tables. */
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
  const text = await prompt(`${problem}.\n${lines.join('\n')}${end}\nWhich? `)
  const choice = choices[Number(text) - 1]
  if (choice === undefined) throw new CommandError(`"${text}" is not one of the answers: nothing was written`)
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

async function askForValue(problem: string, name: string, to: SchemaState, prompt: Prompt): Promise<DefaultValue> {
  const text = await prompt(`${problem}${problem && '\n'}The value of ${name}: `)
  return parseValue(text, findType(to, name), name)
}
