// Reads passwords from a prompt, or from standard input if it is not a terminal. Arguments are not used, because every
// user of the machine can read them.

import { read } from 'read'
import { maxPasswordLength, type PasswordOwner } from '#accounts'
import { ValidationError } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'

/**
 * Reads a new password, which is typed twice at the prompt, or the first line of standard input. Throws
 * CommandError if it is empty or too long, or if the rules of the accounts refuse it.
 */
export async function readPassword({ accounts }: Pick<Services, 'accounts'>, owner: PasswordOwner): Promise<string> {
  const password = process.stdin.isTTY ? await prompt() : await readFirstLine()
  if (password === '') throw new CommandError('the password must not be empty')
  if (Buffer.byteLength(password) > maxPasswordLength) {
    throw new CommandError(`the password must not have more than ${maxPasswordLength} bytes`)
  }
  try {
    await accounts.passwordRules.check(password, owner)
  } catch (error) {
    throw error instanceof ValidationError ? new CommandError(formatDetail(error)) : error
  }
  return password
}

const formatDetail = ({ detail }: ValidationError): string =>
  `password: ${(detail as { readonly password: readonly string[] }).password.join(' ')}`

async function prompt(): Promise<string> {
  const ask = (text: string) => read({ prompt: text, silent: true, output: process.stderr })
  const password = await ask('Password: ')
  if ((await ask('Password (again): ')) !== password) throw new CommandError('the two passwords do not match')
  return password
}

async function readFirstLine(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8').split(/\r?\n/)[0]!
}
